import { defineCommand } from '../../command.ts';
import { gantryCommand } from '../../command-line.ts';
import { buildHasFailed } from '../../contract/builds.ts';
import { appArgument } from '../../flags/app.ts';
import { fetchBuild, resolveBuild } from '../../operations/builds/index.ts';
import { readHistory } from '../../operations/history/index.ts';
import { ago } from '../../output/format.ts';
import { keyValueTable } from '../../output/table.ts';
import { document } from '../../result-schema.ts';
import { buildFields } from '../../views/build.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => appArgument(command).argument('[build]', 'build id (default: latest)'),
  run: async (context, app, id) => {
    const { api, project } = context;
    const build = await fetchBuild(api, { project, app, build: await resolveBuild(context, app, id) });
    return { ...build, found: (await readHistory(context, app)).markOf(build.id) ?? null };
  },
  view: (build) =>
    keyValueTable([
      ['build', build.id],
      ['status', statusCell(build.status)],
      ['found', build.found],
      ['reason', build.initError],
      ['created', ago(build.createdAt)],
      ['updated', ago(build.updatedAt)],
    ]),
  next: ({ id, status }, _, [app]) =>
    buildHasFailed(status) ? [{ line: gantryCommand`explain ${String(app)} ${id}`, when: 'to see why it failed' }] : [],
  json: document(buildFields),
  effect: 'reads',
  examples: ['builds get web', 'builds get web --json=status'],
});
