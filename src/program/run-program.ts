import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command } from '../command.ts';
import { commands, type Group, type Leaf } from '../commands/index.ts';
import { type Context, createContext, type GlobalFlags } from '../context.ts';
import { exitCodes, UsageError } from '../errors.ts';
import { wrapText } from '../output/format.ts';
import type { KnownSecrets } from '../output/known-secrets.ts';
import { createPage } from '../output/page.ts';
import { withEventLines } from '../output/progress.ts';
import { RawOutput } from '../output/raw-output.ts';
import { checkFields, createRenderer, type JsonChoice, type Renderer } from '../output/render.ts';
import type { Io } from '../process.ts';
import { version } from '../version.ts';

/** Help is as wide as the narrowest common terminal, so that its text can be made at build time. */
const helpWidth = 80;

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
  const help: string[] = [];
  const words = prepare(argv);
  const program = buildProgram(
    async (command, flags, inputs) => {
      code = await execute(command, flags, inputs, io, running);
    },
    (text) => help.push(text),
    words[0],
  );
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!asked(error)) throw (await import('./usage-errors.ts')).usageError(error, argv);
    const renderer = createRenderer(io.stdout, createPage(io.stdout, io.env, 'auto', io.now()), false);
    await renderer.text(help.join(''));
  }
  return code;
}

type CommandRunner = (command: Command, flags: GlobalFlags, inputs: unknown[]) => Promise<void>;

/**
 * The root of the tree of commands. If the first word is the name of a command, the tree has only that one: making all
 * the others would take longer than parsing.
 */
export function buildProgram(run: CommandRunner, write: (text: string) => void, firstWord = ''): Commander {
  const root = globalOptions(new Commander('gantry'))
    .description('Deploy, run and manage apps on the hosting platform.')
    .usage('<command> [flags]')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {}, getOutHelpWidth: () => helpWidth })
    .configureHelp({
      showGlobalOptions: true,
      optionTerm: (option) => (option.long === '--json' ? '--json[=fields]' : option.flags),
    })
    .addHelpText('after', '\nhelp topics: exit-codes, environment, json, faults (gantry help <topic>)');
  for (const [heading, entries] of Object.entries(commands)) {
    const called = Object.hasOwn(entries, firstWord) ? entries[firstWord] : undefined;
    if (!called && isCommand(firstWord)) continue;
    root.commandsGroup(`${heading}:`);
    addCommands(root, called ? { [firstWord]: called } : entries, run);
  }
  return root;
}

function globalOptions(root: Commander): Commander {
  return root
    .option('--json [fields]', 'print JSON: everything, or only the fields named')
    .option('-q, --quiet', 'print results and errors only')
    .option('--debug', 'show requests as they happen, and the stack of an error')
    .addOption(new Option('--color <when>', 'when to use colour').choices(['always', 'never', 'auto']).default('auto'))
    .option('--no-input', 'never ask: fail with exit code 9 instead')
    .option('-y, --yes', 'answer yes to questions')
    .option('-p, --project <id>', 'project to work in')
    .option('--profile <profile>', 'stored settings to use')
    .option('--region <region>', 'region to work in')
    .option('-C, --cwd <dir>', 'work in this folder');
}

/** Names commands, and no more: what one of them has is added when commander is about to parse what follows its name. */
export function addCommands(parent: Commander, entries: Record<string, Leaf | Group>, run: CommandRunner): void {
  for (const [name, { summary }] of Object.entries(entries)) parent.command(name).summary(summary);
  parent.hook('preSubcommand', async (_, called) => {
    const entry = entries[called.name()];
    if (!entry) return;
    called.description(sentence(entry.summary));
    if ('load' in entry) await configureCommand(called, entry, run);
    else addCommands(called.helpCommand(false), entry.commands, run);
  });
}

/** Gives a bare command its arguments, flags, help and action. */
export async function configureCommand(child: Commander, leaf: Leaf, run: CommandRunner): Promise<Command> {
  const { default: command } = await leaf.load();
  command.configure(child.allowExcessArguments(false) as never);
  child.addHelpText('after', () => moreHelp(command));
  child.action(async (...inputs: unknown[]) => {
    inputs.pop();
    // `gantry apps delete "$APP"` where nobody has set APP.
    const empty = child.registeredArguments.find(({ required }, at) =>
      required ? [inputs[at]].flat()[0] === '' : inputs[at] === '',
    );
    if (empty)
      throw new UsageError(`<${empty.name()}> is empty`, { fix: 'look whether a variable of the shell is unset' });
    await run(command, child.optsWithGlobals() as GlobalFlags, inputs);
  });
  return command;
}

/** What commander does not know of a command: how it is used, and the shape of its JSON. */
function moreHelp({ examples, json }: Command): string {
  const widest = Math.max(14, ...Object.keys(json).map((field) => field.length));
  const fields = Object.entries(json).map(([field, meaning]) =>
    [`  ${field.padEnd(widest)}`, wrapText(meaning, helpWidth - widest - 3).join(`\n${' '.repeat(widest + 3)}`)].join(
      ' ',
    ),
  );
  const section = (title: string, lines: string[]) => (lines.length ? `\n${title}:\n${lines.join('\n')}` : '');
  const used = examples.map((example) => `  $ gantry ${example}`);
  return [section('Examples', used), section('JSON', fields)].filter(Boolean).join('\n');
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

function isCommand(name: string): boolean {
  return Object.values(commands).some((entries) => Object.hasOwn(entries, name));
}

function jsonChoice(flag: string | undefined): JsonChoice {
  if (flag === undefined) return false;
  return flag === '' ? true : flag.split(',').map((field) => field.trim());
}

/** Whether the user asked for the help or version that commander stopped for. */
function asked(error: CommanderError): boolean {
  return error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
