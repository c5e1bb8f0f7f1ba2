import { followRun, resolveRun } from '../../../calls/runs/index.ts';
import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { platformExits } from '../../../kernel/errors.ts';
import { TimeLimit } from '../../../platform/waiting/index.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { durationFlag } from '../../flags/values.ts';
import { document } from '../../result-schema.ts';
import { runFields, runOutput } from '../../views/run-output.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .argument('[run]', 'run id (default: latest)')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .option('--forward-exit-code', 'if the program fails, exit with its own exit code instead of 13')
      .option('--events', 'print progress as JSON lines'),
  run: async (context, app, word, options) => {
    const named = word === undefined ? 'the latest run' : `run ${word}`;
    const limit = new TimeLimit(context, {
      typedMs: options.timeout,
      failure: `the status of ${named} of ${app} was not known`,
    });
    const run = await resolveRun(limit.context, app, word);
    context.interruption.message = sentence`stopped following; run ${run} continues; to follow it: ${gantryCommand`runs follow ${app} ${run}`}`;
    const { forwardExitCode } = options;
    const following = { app, run, timeoutMs: limit.handOver(), startedBefore: true, forwardExitCode } as const;
    return runOutput(context, (onLine) => followRun(context, following, onLine), options);
  },
  verbatim: () => true,
  view: () => () => '',
  json: document(runFields),
  effect: 'reads',
  exits: [...platformExits, 'pending', 'app-error'],
  examples: ['runs follow web 3f2a91c0-…', 'runs follow web 3f2a91c0-… --timeout 10m --json=status,programExitCode'],
});
