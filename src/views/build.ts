/** The fields of a build. */
export const buildFields = {
  id: 'build id',
  status: 'state of the build, as the platform says it',
  createdAt: 'RFC 3339, UTC',
  updatedAt: 'RFC 3339, UTC',
  initError: 'why the app did not start',
};
