import type { WorkLine } from '../../calls/logs/index.ts';
import {
  followProgram,
  type OwnFlag,
  parseProgramArguments,
  readArguments,
  readProgram,
  type StartedProgram,
  startProgram,
} from '../../calls/run/index.ts';
import type { FinishedRun } from '../../calls/runs/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { ProgramError, UsageError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import type { Context } from '../../platform/context.ts';
import { TimeLimit } from '../../platform/waiting/index.ts';
import { defineCommand } from '../command.ts';
import { withConfigFile } from '../flags/app.ts';
import { computeFlag, gpuFlag } from '../flags/hardware.ts';
import { checkTypedRegion } from '../flags/region.ts';
import { durationFlag } from '../flags/values.ts';
import { choice, document, integer, nullable, number, objects, optional, text } from '../result-schema.ts';

const runLine = {
  line: text('text of the line'),
  stream: choice(['stdout', 'stderr'], 'stream'),
  loggedAt: nullable(text('RFC 3339, UTC')),
};

const runFields = {
  run: text('run id'),
  app: text('app name'),
  status: text('final status'),
  programExitCode: nullable(integer("the program's exit code"), 'not known'),
  durationMs: number('duration, in ms'),
  logs: optional(objects('output: line, stream (stdout or stderr), loggedAt', runLine)),
};

const startedFields = { app: text('app name'), run: text('run id') };

export default defineCommand({
  configure: (command) =>
    withConfigFile(command)
      .usage('[flags] <file[::function]> [arguments...]')
      .argument('<file[::function]>', 'Python file in this folder, and the function to call')
      .argument('[arguments...]', 'name=text, name:=json or name=@FILE; of a script, its command line')
      .option('--data <json>', 'arguments as JSON, @file or - (stdin); parameters replace its keys')
      // As in the official client; other commands have --region alone.
      .addOption(command.createOption('-r <region>').hideHelp())
      .option('--gpu <type>', 'GPU for this run, such as H100 or H100:2', gpuFlag)
      .option('--compute <type>', 'CPU or an accelerator, such as ADA_L4', computeFlag)
      .option('--name <name>', 'override the app name of the config file')
      .option('--detach', 'print the run id and return; the run continues')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
      .option('--forward-exit-code', 'if the program fails, exit with its own exit code instead of 13')
      .option('--events', 'print progress as JSON lines'),
  flagRules: { excludes: { compute: ['gpu'], forwardExitCode: ['detach'] } },
  run: async (unlimited, target, words, options): Promise<ReturnType<typeof runOutput> | StartedProgram> => {
    const { configFile, name, timeout: typedMs, forwardExitCode } = options;
    const limit = new TimeLimit(unlimited, { typedMs, failure: 'run did not get as far as starting the program' });
    const { context } = limit;
    const programArguments = parseProgramArguments(words, await readOwnFlags(words));
    const claimOf = (...flags: string[]) => programArguments.claims.findLast(({ flag }) => flags.includes(flag));
    const { value: data = options.data } = claimOf('--data') ?? {};
    const hardware = hardwareOf(options);
    const given = { target, configFile, name, hardware, hasData: data !== undefined, programArguments };
    const program = await readProgram(context, given);
    const args = await readArguments(context, { data, pairs: program.pairs, target, called: program.called });
    const typed = claimOf('--region', '-r')?.value ?? options.r;
    const region = typed && checkTypedRegion(context, typed);
    const detach = options.detach === true || claimOf('--detach') !== undefined;
    if (detach && forwardExitCode) {
      throw new UsageError('--forward-exit-code and --detach cannot be combined: nothing waits for the exit code');
    }
    const started = await startProgram(program, { data: args.json, region, limit, detach });
    const timeoutMs = limit.handOver();
    return detach
      ? started
      : runOutput(
          unlimited,
          (onLine) =>
            followProgram(unlimited, started, program, { timeoutMs, forwardExitCode, sent: args.all }, onLine),
          options,
        );
  },
  verbatim: () => true,
  view: ({ run }) => run,
  json: document(runFields, startedFields),
  formOf: ({ detach }, [, words]) =>
    detach || /^(?:(?!--$).*\n)*--detach$/m.test((words as string[]).join('\n')) ? document(startedFields) : undefined,
  next: ({ app, run }) => [
    { line: gantryCommand`logs ${app} --run ${run} -f`, when: 'the run continues; to follow it' },
  ],
  effect: 'changes',
  details: [
    'Flags of gantry stand before the file; what stands after it is for the program, but for --json, --data, --region and --detach.',
    'A file without a main guard, whose function is named main, run, handler, process, execute or predict, calls that. Any other file is a script: what follows it becomes sys.argv.',
    'The program runs on the platform and has no stdin: pipe its arguments to --data -, or copy files with gantry cp.',
  ],
  exits: ['pending', 'build-failed', 'app-error'],
  examples: [
    'run job.py',
    'run job.py::train --name first epochs:=3',
    'run train.py -- --epochs 3 --fast',
    'run --gpu H100 job.py::train --detach',
    'run job.py::train --data \'{"epochs": 3}\' --region us-east-1',
    'run --timeout 10m job.py --data @arguments.json --json=status',
  ],
});

function hardwareOf({ gpu, compute }: { gpu?: ReturnType<typeof gpuFlag> | undefined; compute?: string | undefined }) {
  if (gpu) return { compute: [gpu.name], gpu_count: gpu.count };
  return compute === undefined ? undefined : { compute: [compute], gpu_count: compute === 'CPU' ? 0 : 1 };
}

/** Every flag that could be meant for gantry. Needed only if an argument looks like a flag. */
async function readOwnFlags(words: readonly string[]): Promise<OwnFlag[]> {
  if (!words.some((word) => word.startsWith('-'))) return [];
  const { globalFlags, referenceOf } = await import('../reference.ts');
  const { flags } = await referenceOf('run');
  const listed = [...globalFlags(), ...flags].map((flag) => ({
    names: flag.flags.match(/--?[a-zA-Z][\w-]*/g) ?? [],
    takesValue: flag.type !== 'boolean' && flag.valueRequired,
  }));
  return [...listed, { names: ['-r'], takesValue: true }];
}

/** What the program prints; with `--json` one value, which has it unless it is events, shown on stderr. */
function runOutput(
  { progress }: Context,
  follow: (onLine: (line: WorkLine) => unknown) => Promise<FinishedRun>,
  { events = false }: { events?: boolean | undefined },
): RawOutput<FinishedRun & { logs?: WorkLine[] }> {
  const relay = async (take: (bytes: Uint8Array) => Promise<void>) => {
    // Its output has the terminal once it comes.
    const step = progress.step('Running');
    const { run, durationMs } = await follow(({ line, stream }) => {
      step.clear();
      return stream === 'stderr' ? progress.relay(line) : take(Buffer.from(`${line}\n`));
    }).finally(step.clear);
    step.done(`Run ${run} succeeded in ${duration(durationMs)}`);
  };
  const collect = async () => {
    const logs: WorkLine[] = [];
    const finished = follow((line) => {
      progress.log(line.line);
      logs.push(line);
    });
    if (events) return finished;
    return { ...(await finished.catch((error: unknown) => throwWith(error, logs))), logs };
  };
  return new RawOutput(relay, { untrusted: 'text', jsonValue: collect });
}

/** A failed program has its output in the same form. */
function throwWith(error: unknown, logs: WorkLine[]): never {
  if (error instanceof ProgramError) error.facts.details = { ...error.facts.details, logs };
  throw error;
}
