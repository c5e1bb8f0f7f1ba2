import { defineCommand } from '../../command.ts';
import { gantryCommand } from '../../command-line.ts';
import { buildHasFailed } from '../../contract/builds.ts';
import { fetchBuild, findLatestBuild } from '../../operations/builds/index.ts';
import { ago } from '../../output/format.ts';
import { keyValueTable } from '../../output/table.ts';
import { document } from '../../result-schema.ts';
import { buildFields } from '../../views/build.ts';
import { statusCell } from '../../views/status.ts';

export default defineCommand({
  configure: (command) => command.argument('<app>', 'app name or id').argument('[build]', 'build id (default: latest)'),
  run: async ({ api, project }, app, build) =>
    fetchBuild(api, { project, app, build: build ?? (await findLatestBuild({ api, project }, app)) }),
  view: (build) =>
    keyValueTable([
      ['build', build.id],
      ['status', statusCell(build.status)],
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
