import { defineCommand } from '../../command.ts';
import { listBuilds } from '../../contract/builds.ts';
import { firstOf, listFlags } from '../../flags/list.ts';
import { table } from '../../output/table.ts';
import { ago, newestFirst } from '../../output/words.ts';

export default defineCommand({
  configure: (command) => listFlags(command.argument('<app>', 'app name or id')),
  run: async ({ api, project, progress }, app, flags) => {
    const builds = await api(listBuilds, { project, app });
    return firstOf(builds.sort(newestFirst((build) => build.createdAt)), flags, progress, 'build');
  },
  view: (builds) =>
    table(
      builds,
      {
        BUILD: (build) => build.id,
        STATUS: (build) => build.status,
        CREATED: (build) => ago(build.createdAt),
        REASON: (build) => build.initError,
      },
      ['BUILD'],
    ),
  empty: 'no builds yet',
  passesThrough: true,
  json: {
    id: 'build id',
    status: 'state of the build, as the platform says it',
    createdAt: 'RFC 3339, UTC',
    updatedAt: 'RFC 3339, UTC',
    initError: 'why the app did not start',
  },
  examples: ['builds list web', 'builds list web --limit 5'],
});
