import { findCommits } from '../../../deploys/commit-of-build.ts';
import { readHistory, recordEnds } from '../../../deploys/history/index.ts';
import { ago, forPeople, latestFirst, shortBuild } from '../../../kernel/output/format.ts';
import { table } from '../../../kernel/output/table.ts';
import { listBuilds, ownStatus } from '../../../platform/contract/builds.ts';
import { shortAppName } from '../../../platform/contract/endpoint.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { applyLimit, listFlags } from '../../flags/list.ts';
import { documents } from '../../result-schema.ts';
import { commitText, listedBuildFields } from '../../views/build.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => listFlags(appArgument(command)),
  run: async (context, app, { configFile, ...flags }) => {
    const { api, project, progress } = context;
    const [all, record] = await Promise.all([api(listBuilds, { project, app }), readHistory(context, app)]);
    // What only reads for a model writes no file.
    const history = context.isForModel ? record : await recordEnds(context, app, record, all);
    const listed = applyLimit(all.sort(latestFirst((build) => build.createdAt)), flags, progress, 'build');
    const ids = listed.map(({ id }) => id);
    const commitOf = await findCommits(context, { app: shortAppName(project, app), configFile }, ids);
    return listed.map((build) => ({
      ...build,
      status: ownStatus(build.status),
      ...commitOf(build.id),
      found: history.markOf(build.id) ?? null,
      reason: history.lastOf('failed', build.id)?.reason ?? lastError(build.initError),
    }));
  },
  view: (builds) =>
    table(builds, ['BUILD', 'STATUS', 'COMMIT'], {
      BUILD: ({ id }) => forPeople(shortBuild(id), id),
      STATUS: (build) => statusCell(build.status),
      CREATED: (build) => ago(build.createdAt),
      COMMIT: commitText,
      HEALTH: (build) => build.found,
      REASON: (build) => build.reason,
    }),
  empty: 'no builds yet',
  json: documents(listedBuildFields),
  effect: 'reads',
  examples: ['builds list web', 'builds list web --limit 5'],
});

/** The line of a traceback or a log that names the error. */
function lastError(initError: string | null | undefined): string | null {
  const lines = (initError ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines.findLast((line) => /\w(?:Error|Exception)\b/.test(line)) ?? lines[0] ?? null;
}
