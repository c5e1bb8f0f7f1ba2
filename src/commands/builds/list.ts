import { defineCommand } from '../../command.ts';
import { listBuilds } from '../../contract/builds.ts';
import { appArgument } from '../../flags/app.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { readHistory } from '../../operations/history/index.ts';
import { ago, latestFirst } from '../../output/format.ts';
import { table } from '../../output/table.ts';
import { documents } from '../../result-schema.ts';
import { buildFields } from '../../views/build.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => listFlags(appArgument(command)),
  run: async (context, app, flags) => {
    const { api, project, progress } = context;
    const [listed, history] = await Promise.all([api(listBuilds, { project, app }), readHistory(context, app)]);
    const builds = listed.map((build) => ({ ...build, found: history.markOf(build.id) ?? null }));
    return applyLimit(builds.sort(latestFirst((build) => build.createdAt)), flags, progress, 'build');
  },
  view: (builds) =>
    table(
      builds,
      {
        BUILD: (build) => build.id,
        STATUS: (build) => statusCell(build.status),
        CREATED: (build) => ago(build.createdAt),
        FOUND: (build) => build.found,
        REASON: (build) => build.initError,
      },
      { keep: ['BUILD', 'STATUS'] },
    ),
  empty: 'no builds yet',
  json: documents(buildFields),
  effect: 'reads',
  examples: ['builds list web', 'builds list web --limit 5'],
});
