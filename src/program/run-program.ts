import { type Command as Commander, CommanderError } from 'commander';
import type { Command } from '../command.ts';
import { type Context, createContext, type GlobalFlags } from '../context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import type { KnownSecrets } from '../output/known-secrets.ts';
import { createPage } from '../output/page.ts';
import { withEventLines } from '../output/progress.ts';
import { RawOutput } from '../output/raw-output.ts';
import { checkFields, createRenderer, type JsonChoice, type Renderer } from '../output/render.ts';
import type { Io } from '../process.ts';
import { buildProgram, isCommand } from './command-tree.ts';

export interface RunState {
  signal: AbortSignal;
  interruption: { says?: string };
  /** Tells what happens after Ctrl-C, once a command runs. */
  announce?: (text: string) => void;
  /** Values that must not be printed. */
  secrets: KnownSecrets;
  /** Set when the answer comes as one JSON object a line: a failure is a line then, too. */
  isJsonLines?: boolean;
}

/** Parses, runs one command and renders its answer. Returns the exit code; failures are thrown. */
export async function runProgram(argv: string[], io: Io, running: RunState): Promise<number> {
  let code = 0;
  let helped: Commander | undefined;
  const words = prepare(argv);
  const program = buildProgram({
    firstWord: words[0],
    run: async (command, flags, inputs) => {
      code = await execute(command, flags, inputs, io, running);
    },
    onHelp: (commander) => {
      helped = commander;
    },
  });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (helped) await showHelp(helped, argv, io);
    else if (error.code === 'commander.version') await stdoutRenderer(io).text(`${error.message}\n`);
    else throw (await import('./usage-errors.ts')).usageError(error, argv);
  }
  return code;
}

/** The help of a command, of a group that was called without a command, or of the program. */
async function showHelp(commander: Commander, argv: string[], io: Io): Promise<void> {
  const [{ helpSourceOf }, { helpText }] = await Promise.all([import('./help-source.ts'), import('./help.ts')]);
  const source = await helpSourceOf(commander);
  const renderer = stdoutRenderer(io, argv.includes('--json'));
  await renderer.value(source, ({ terminal, columns }) => helpText(source, terminal ? columns : undefined).trimEnd());
}

function stdoutRenderer(io: Io, json = false): Renderer {
  return createRenderer(io.stdout, createPage(io.stdout, io.env, 'auto', io.now()), json);
}

async function execute(
  command: Command,
  flags: GlobalFlags,
  inputs: unknown[],
  io: Io,
  running: RunState,
): Promise<number> {
  const { signal, interruption, secrets } = running;
  const json = jsonChoice(flags.json);
  const fields = Object.keys(command.json);
  if (Array.isArray(json) && fields.length > 0 && !command.passesThrough) checkFields(json, fields);
  const options = inputs.at(-1) as { events?: boolean };
  const context = createContext(io, flags, signal, interruption, secrets);
  const page = createPage(io.stdout, io.env, flags.color, io.now(), secrets);
  const renderer = createRenderer(io.stdout, page, json, fields, command.verbatim(options));
  // What an answer may show, a message may not.
  const events = createRenderer(io.stdout, page, json);
  // A reader that has gone is noticed by the result, which is awaited.
  running.announce = context.progress.request;
  if (options.events)
    context.progress = withEventLines(context.progress, (event) => events.line(event).catch(() => {}));
  try {
    const code = await runAndShow(command, context, renderer, { inputs, running, json });
    context.progress.finish();
    return code;
  } finally {
    for (const warning of context.unread.warnings()) context.progress.warn(warning);
  }
}

async function runAndShow(
  command: Command,
  context: Context,
  renderer: Renderer,
  { inputs, running, json }: { inputs: unknown[]; running: RunState; json: JsonChoice },
): Promise<number> {
  const options = inputs.at(-1) as { events?: boolean };
  const value = await command.run(context, ...inputs);
  const exit = command.exit(value, options);
  if (Array.isArray(value) && value.length === 0 && command.empty) context.progress.note(command.empty);
  if (options.events) await showEvents(value, renderer);
  else if (value instanceof RawOutput) await pour(value, renderer, json);
  else if (value !== undefined) {
    running.isJsonLines = json !== false && isStream(value);
    await show(value, command, options, renderer);
  }
  return typeof exit === 'number' ? exit : exitCodes[exit].code;
}

/** Each value of an iterable is an event; what it returns is the result. */
async function showEvents(value: unknown, renderer: Renderer): Promise<void> {
  const result = isStream(value)
    ? await showEach(value, renderer)
    : value instanceof RawOutput
      ? await value.options.jsonValue?.()
      : value;
  await renderer.line({ type: 'result', ...(result as object) });
}

/** Gives what the iterable returns, which `for await` would lose. */
async function showEach(values: AsyncIterable<unknown>, renderer: Renderer): Promise<unknown> {
  let returned: unknown;
  const noting = async function* () {
    returned = yield* values;
  };
  for await (const value of noting()) await renderer.line({ type: 'event', ...(value as object) });
  return returned;
}

async function show(value: unknown, { data, view, raw }: Command, options: unknown, renderer: Renderer): Promise<void> {
  const asItIs = raw(options);
  if (!isStream(value)) return renderer.value(data(value), view(value, options), asItIs);
  for await (const item of value) await renderer.item(data(item), view(item, options), asItIs);
}

async function pour({ writeTo, options }: RawOutput, renderer: Renderer, json: JsonChoice): Promise<void> {
  const { jsonValue, untrusted, terminalFix = 'add > file, or --raw', cancel, onWritten } = options;
  const { page } = renderer;
  if (json !== false) {
    if (jsonValue) return renderer.value(await jsonValue(), () => '');
    throw new UsageError('--json cannot be used here', {
      why: 'the answer is bytes as they are, which JSON cannot hold',
    });
  }
  if (untrusted === 'bytes' && page.terminal) {
    await cancel?.();
    throw new UsageError('the answer is no text: a terminal cannot show it', { fix: terminalFix });
  }
  if (untrusted === 'text' && (page.terminal || page.githubActions)) await pourText(writeTo, renderer);
  else await writeTo((bytes) => renderer.bytes(bytes));
  onWritten?.();
}

/** Cleaned as it comes. On a terminal what comes next begins on a line of its own. */
async function pourText(into: RawOutput['writeTo'], { page, text }: Renderer): Promise<void> {
  const { createStreamSanitizer } = await import('../output/sanitize-stream.ts');
  const clean = createStreamSanitizer(page);
  let last = '\n';
  const write = async (cleaned: string) => {
    if (cleaned === '') return;
    await text(cleaned);
    last = cleaned.slice(-1);
  };
  try {
    await into((bytes) => write(clean.push(bytes)));
  } finally {
    await write(clean.end());
    if (page.terminal && last !== '\n') await text('\n');
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** A flag's value is optional only after `=`: `--json web` must not swallow the app's name. `help x` is `x --help`. */
function prepare(argv: string[]): string[] {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const rest = end < 0 ? [] : argv.slice(end);
  const words = own.map((word) => (word === '--json' ? '--json=' : word));
  const [first, second] = words;
  if (first === 'help' && (second === undefined || isCommand(second))) return [...words.slice(1), '--help', ...rest];
  return [...words, ...rest];
}

function jsonChoice(flag: string | undefined): JsonChoice {
  if (flag === undefined) return false;
  return flag === '' ? true : flag.split(',').map((field) => field.trim());
}
