/** Descriptions of the JSON fields of a build. */
export const buildFields = {
  id: 'build id',
  status: 'build status; platform value, passed through',
  createdAt: 'RFC 3339, UTC',
  updatedAt: 'RFC 3339, UTC',
  initError: 'why the app did not start',
};
