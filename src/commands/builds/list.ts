import { defineCommand } from '../../command.ts';
import { listBuilds } from '../../contract/builds.ts';
import { table } from '../../output/table.ts';
import { ago, newestFirst } from '../../output/words.ts';

export default defineCommand({
  configure: (command) => command.argument('<app>', 'app name or id'),
  run: async ({ api, project }, app) => {
    const builds = await api(listBuilds, { project, app });
    return builds.sort(newestFirst((build) => build.createdAt));
  },
  view: (builds) =>
    table(builds, {
      BUILD: (build) => build.id,
      STATUS: (build) => build.status,
      CREATED: (build) => ago(build.createdAt),
      REASON: (build) => build.initError,
    }),
  empty: 'no builds yet',
  passesThrough: true,
  json: {
    id: 'build id',
    status: 'state of the build, as the platform says it',
    createdAt: 'RFC 3339, UTC',
    updatedAt: 'RFC 3339, UTC',
    initError: 'why the app did not start',
  },
  examples: ['builds list web'],
});
