import { defineCommand } from '../../command.ts';
import { platformExits } from '../../errors.ts';
import { durationFlag } from '../../flags/values.ts';
import { followRun } from '../../operations/runs/index.ts';
import { document } from '../../result-schema.ts';
import { runFields, runOutput } from '../../views/run-output.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<app>', 'app name or id')
      .argument('<run>', 'run id')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .option('--forward-exit-code', 'if the program fails, exit with its own exit code instead of 13')
      .option('--events', 'print progress as JSON lines'),
  run: (context, app, run, options) => {
    context.interruption.message = `stopped following; run ${run} continues; to follow it: gantry runs follow ${app} ${run}`;
    const { timeout: timeoutMs = 3_600_000, forwardExitCode } = options;
    return runOutput(context, followRun(context, { app, run, timeoutMs, forwardExitCode }), options);
  },
  verbatim: () => true,
  view: () => () => '',
  json: document(runFields),
  effect: 'reads',
  exits: [...platformExits, 'pending', 'app-error'],
  examples: ['runs follow web 3f2a91c0-…', 'runs follow web 3f2a91c0-… --timeout 10m --json=status,programExitCode'],
});
