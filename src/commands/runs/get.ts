import { defineCommand } from '../../command.ts';
import { getRun } from '../../contract/runs.ts';
import { runView } from '../../views/run.ts';

export default defineCommand({
  configure: (command) => command.argument('<app>', 'app name or id').argument('<run>', 'run id'),
  run: async ({ api, project }, app, run) => (await api(getRun, { project, app, run })).item,
  view: runView,
  passesThrough: true,
  examples: ['runs get web 3f2a91c0-…', 'runs get web 3f2a91c0-… --json=status,statusCode'],
});
