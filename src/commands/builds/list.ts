import { defineCommand } from '../../command.ts';
import { listBuilds } from '../../contract/builds.ts';
import { appArgument } from '../../flags/app.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { ago, latestFirst } from '../../output/format.ts';
import { table } from '../../output/table.ts';
import { documents } from '../../result-schema.ts';
import { buildFields } from '../../views/build.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => listFlags(appArgument(command)),
  run: async ({ api, project, progress }, app, flags) => {
    const builds = await api(listBuilds, { project, app });
    return applyLimit(builds.sort(latestFirst((build) => build.createdAt)), flags, progress, 'build');
  },
  view: (builds) =>
    table(
      builds,
      {
        BUILD: (build) => build.id,
        STATUS: (build) => statusCell(build.status),
        CREATED: (build) => ago(build.createdAt),
        REASON: (build) => build.initError,
      },
      { keep: ['BUILD', 'STATUS'] },
    ),
  empty: 'no builds yet',
  json: documents(buildFields),
  effect: 'reads',
  examples: ['builds list web', 'builds list web --limit 5'],
});
