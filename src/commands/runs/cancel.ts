import { defineCommand } from '../../command.ts';
import { stopRun } from '../../operations/runs/index.ts';

export default defineCommand({
  configure: (command) => command.argument('<app>', 'app name or id').argument('<run>', 'run id'),
  run: (context, app, run) => stopRun(context, app, run, () => context.prompt.confirm(`Cancel run ${run} of ${app}?`)),
  view:
    ({ run, changed }) =>
    () =>
      changed ? `run ${run} is cancelled` : `already as asked: run ${run} is cancelled`,
  json: {
    app: 'app as it was named',
    run: 'run id',
    status: 'cancelled',
    changed: 'false when it was cancelled already',
  },
  examples: ['runs cancel web 3f2a91c0-… --yes'],
});
