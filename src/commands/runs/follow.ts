import { defineCommand } from '../../command.ts';
import { platformExits } from '../../errors.ts';
import { durationFlag } from '../../flags/values.ts';
import { followRun } from '../../operations/run/index.ts';
import { document } from '../../result-schema.ts';
import { runFields, runOutput } from '../../views/run-output.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .argument('<run>', 'run id')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .option('--events', 'print progress as JSON lines'),
  run: (context, app, run, options) => {
    context.interruption.message = `stopped following; run ${run} continues; to follow it: gantry runs follow ${app} ${run}`;
    return runOutput(context, followRun(context, { app, run, timeoutMs: options.timeout ?? 3_600_000 }), options);
  },
  verbatim: () => true,
  view: () => () => '',
  json: document(runFields),
  effect: 'reads',
  exits: [...platformExits, 'pending', 'app-error'],
  examples: ['runs follow web 3f2a91c0-…', 'runs follow web 3f2a91c0-… --timeout 10m --json=status,exitCode'],
});
