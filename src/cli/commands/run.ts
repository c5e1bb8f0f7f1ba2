import {
  addParameters,
  followProgram,
  type OwnFlag,
  parseProgramArguments,
  readArguments,
  readProgram,
  type StartedProgram,
  startProgram,
} from '../../calls/run/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { platformExits, UsageError } from '../../kernel/errors.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import { TimeLimit } from '../../platform/waiting/index.ts';
import { defineCommand } from '../command.ts';
import { durationFlag } from '../flags/values.ts';
import { document, text } from '../result-schema.ts';
import { runFields, runOutput } from '../views/run-output.ts';

export default defineCommand({
  configure: (command) =>
    command
      .usage('[flags] <file[::function]> [arguments...]')
      .argument('<file[::function]>', 'Python file in this folder, and the function to call')
      .argument('[arguments...]', 'parameters: --name text, name=text or name:=json')
      .option('--data <json>', 'arguments as JSON, @file with JSON, or - for stdin; parameters replace its keys')
      // As in the official client; other commands have --region alone.
      .addOption(command.createOption('-r <region>').hideHelp())
      .option('--config-file <file>', 'config file, wherever it lies', 'cerebrium.toml')
      .option('--name <name>', 'override the app name of the config file')
      .option('--detach', 'print the run id and return; the run continues')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .addOption(
        command
          .createOption('--forward-exit-code', 'if the program fails, exit with its own exit code instead of 13')
          .conflicts('detach'),
      )
      .option('--events', 'print progress as JSON lines'),
  run: async (unlimited, target, words, options): Promise<ReturnType<typeof runOutput> | StartedProgram> => {
    const { configFile, name, timeout: typedMs, forwardExitCode } = options;
    const limit = new TimeLimit(unlimited, { typedMs, failure: 'run did not get as far as starting the program' });
    const { context } = limit;
    const programArguments = parseProgramArguments(words, await readOwnFlags(words));
    const { pairs, data = options.data } = programArguments;
    const given = await readArguments(context, { data, pairs });
    const hasArguments = given !== '{}';
    const program = await readProgram(context, { target, configFile, name, hasArguments, programArguments });
    const args = addParameters(given, programArguments, program.pairs);
    const region = programArguments.region ?? options.r;
    const detach = options.detach === true || programArguments.detach;
    if (detach && forwardExitCode) {
      throw new UsageError('--forward-exit-code and --detach cannot be combined: nothing waits for the exit code');
    }
    const started = await startProgram(program, { data: args, region, limit, detach });
    const timeoutMs = limit.handOver();
    return detach
      ? started
      : runOutput(
          unlimited,
          (onLine) => followProgram(unlimited, started, program, { timeoutMs, forwardExitCode }, onLine),
          options,
        );
  },
  verbatim: () => true,
  view: (value) => () => (value instanceof RawOutput ? '' : value.run),
  json: document(runFields, { app: text('app name'), run: text('run id') }),
  next: (value) =>
    value instanceof RawOutput
      ? []
      : [{ line: gantryCommand`runs follow ${value.app} ${value.run}`, when: 'the run continues; to follow it' }],
  effect: 'changes',
  details: [
    'The program runs on the platform and has no stdin: pipe its arguments to --data -, or copy files with gantry cp.',
  ],
  exits: [...platformExits, 'pending', 'project', 'build-failed', 'app-error'],
  examples: [
    'run job.py',
    'run job.py::train --name first epochs:=3',
    'run job.py::train --detach',
    'run job.py::train --data \'{"epochs": 3}\' --region us-east-1',
    'run --timeout 10m job.py --data @arguments.json --json=status,durationMs',
  ],
});

/** Every flag that could be meant for gantry. Needed only if an argument looks like a flag. */
async function readOwnFlags(words: readonly string[]): Promise<OwnFlag[]> {
  if (!words.some((word) => word.startsWith('-'))) return [];
  const { globalFlags, referenceOf } = await import('../reference.ts');
  const { flags } = await referenceOf('run');
  const shown = [...globalFlags(), ...flags].map((flag) => ({
    names: flag.flags.match(/--?[a-zA-Z][\w-]*/g) ?? [],
    takesValue: flag.type !== 'boolean' && flag.valueRequired,
  }));
  return [...shown, { names: ['-r'], takesValue: true }];
}
