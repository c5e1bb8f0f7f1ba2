import { Command as Commander, Option } from 'commander';
import { asTyped, CommandLine } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { version } from '../../kernel/version.ts';
import type { GlobalFlags } from '../../platform/context.ts';
import type { Command, FlagRules } from '../command.ts';
import { type CommandEntry, commands, type Leaf, namedCommand } from '../commands/index.ts';

export type CommandRunner = (
  command: Command,
  flags: GlobalFlags,
  inputs: unknown[],
  called: Commander,
) => Promise<void>;

interface TreeOptions {
  run: CommandRunner;
  onHelp: (commander: Commander) => void;
  /** If this names a command, the tree has only that one: adding all others would take longer than parsing. */
  firstWord?: string | undefined;
}

export function buildProgram({ run, onHelp, firstWord = '' }: TreeOptions): Commander {
  const root = addGlobalFlags(new Commander('gantry'))
    .version(version, '-V, --version', 'show the version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut() {}, writeErr() {}, outputError() {} })
    .configureHelp({
      formatHelp(commander) {
        rejectUnknownCommand(commander as Commander);
        onHelp(commander as Commander);
        return '';
      },
    });
  const called = namedCommand(firstWord);
  for (const entries of called ? [{ [firstWord]: called }] : Object.values(commands)) addCommands(root, entries, run);
  return root;
}

/** Rejects `gantry apps frob --help`, as the parser does without the flag, and `gantry users frob`, where `list` is meant by default. */
function rejectUnknownCommand(commander: Commander): void {
  const [word = '-'] = commander.args;
  // A command with commands below it takes other words.
  if (commander.commands.length === 0 || commander.registeredArguments.length > 0 || word.startsWith('-')) return;
  (commander as Commander & { unknownCommand(): never }).unknownCommand();
}

/** Adds the flags of every command. */
export function addGlobalFlags(root: Commander): Commander {
  root
    .option('--json [fields]', 'print JSON, or only these fields of it (not cat)')
    .option('--jq <expression>', 'print JSON, filtered by this jq expression')
    .option('-q, --quiet', 'print results and errors only')
    .option('--debug', 'show requests and the stack of an error')
    .addOption(new Option('--color <when>', 'when to use color').choices(['always', 'never', 'auto']).default('auto'))
    .option('--no-pager', 'never show long results in a pager')
    .option('--no-input', 'never prompt: exit with 9 instead')
    .option('-y, --yes', 'answer yes to prompts')
    .option('-p, --project <id>', 'project to use')
    .option('--local', 'use the emulator of this folder, as -p local does')
    .option('--profile <profile>', 'profile to use')
    .option('--region <region>', 'region to use')
    .option('--config-file <file>', 'config file of the app', 'cerebrium.toml')
    .option('-C, --cwd <dir>', 'run as if started in this folder');
  rejectEmptyValues(root);
  return root;
}

function addCommands(parent: Commander, entries: Record<string, CommandEntry>, run: CommandRunner, byDefault?: string) {
  for (const [name, { summary }] of Object.entries(entries)) {
    parent.command(name, { isDefault: name === byDefault }).summary(summary);
  }
  parent.hook('preSubcommand', async (_, called) => {
    const { load, commands, byDefault }: Partial<CommandEntry> = entries[called.name()] ?? {};
    if (load) await configureCommand(called, load, run);
    if (commands) addCommands(called.helpCommand(false), commands, run, byDefault);
  });
}

export async function configureCommand(child: Commander, load: Leaf['load'], run: CommandRunner): Promise<Command> {
  const { default: command } = await load();
  command.configure(child as never);
  rejectEmptyValues(child);
  child.exitOverride((error) => {
    // Commander's message has only the number of arguments.
    const unexpected = child.args[child.registeredArguments.length];
    if (unexpected && child.parent?.args[0] === unexpected && unexpected !== child.name())
      rejectUnknownCommand(child.parent);
    if (error.code === 'commander.excessArguments') error.message = `unexpected argument "${unexpected}"`;
    throw Object.assign(error, { examples: command.examples, flags: flagsOf(child) });
  });
  child.action(async (...inputs: unknown[]) => {
    inputs.pop();
    const { configFile } = child.optsWithGlobals();
    inputs.push({ ...(inputs.pop() as object), ...takenByParent(child), configFile });
    rejectEmptyArguments(child, inputs);
    rejectLoneFlags(child);
    await run(command, child.optsWithGlobals() as GlobalFlags, inputs, child);
  });
  return command;
}

/** Values of flags that the command above it has, too: the parser gives them to that one. */
function takenByParent({ parent, options }: Commander): Record<string, unknown> {
  const taken = options
    .map((option) => option.attributeName())
    .filter((name) => parent?.parent && parent.getOptionValueSource(name) === 'cli');
  return Object.fromEntries(taken.map((name) => [name, parent?.getOptionValue(name)]));
}

function flagsOf(commander: Commander): string[] {
  const options = chainOf(commander)
    .toReversed()
    .flatMap((each) => each.options);
  return options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
}

const unsetVariable = 'check that the shell variable is set';

/** Words of another program, which may be anything. */
const foreignWords = new Set(['arguments', 'command']);

/** Rejects `gantry rm /a "$FILE"` with FILE unset: an empty path would be the whole volume. */
function rejectEmptyArguments(child: Commander, inputs: unknown[]): void {
  const empty = child.registeredArguments.find((argument, at) => {
    const words = [inputs[at]].flat();
    return foreignWords.has(argument.name()) ? argument.required && words[0] === '' : words.includes('');
  });
  if (empty) throw new UsageError(`argument <${empty.name()}> is empty`, { fix: unsetVariable });
}

/** Rejects `-p "$PROJECT"` with PROJECT unset: without a value, another project would be meant. */
function rejectEmptyValues(commander: Commander): void {
  for (const option of commander.options.filter(({ required, optional }) => required || optional)) {
    // The parser takes `--json=` for `--json`.
    if (option.long === '--json') continue;
    commander.on(`option:${option.name()}`, (value: unknown) => {
      if (value === '') throw new UsageError(`the value of ${option.long} is empty`, { fix: unsetVariable });
    });
  }
}

/** Rejects a flag that has no effect without another one: ignored, `--detailed-exit-code` alone would deploy. */
function rejectLoneFlags(child: Commander): void {
  const isTyped = (flag: string) => child.getOptionValueSource(flag) === 'cli';
  for (const option of child.options) {
    const partners = partnersOf(child, option);
    if (partners.length === 0 || !isTyped(option.attributeName())) continue;
    if (partners.some((partner) => isTyped(partner.attributeName()))) continue;
    const [first] = partners;
    const { rawArgs = [] } = chainOf(child)[0] as { rawArgs?: string[] };
    const [, sample] = /<(.+)>/.exec(first?.flags ?? '') ?? [];
    throw new UsageError(`${option.long} requires ${partners.map(({ long }) => long).join(' or ')}`, {
      fix: new CommandLine([
        'gantry',
        ...rawArgs.map(asTyped),
        first?.long ?? '',
        ...(sample ? [first?.argChoices?.[0] ?? samples[sample] ?? sample.toUpperCase()] : []),
      ]),
    });
  }
}

/** Values for a line that works. */
const samples: Record<string, string> = { duration: '2m', number: '1', system: 'github', when: 'p90>5s' };

export function partnersOf({ options }: Commander, flag: Option): Option[] {
  const { requires = [] } = flag as Partial<FlagRules>;
  return requires.flatMap((name) => options.find((option) => option.attributeName() === name) ?? []);
}

/** Its name and those of its parents, without `gantry`. */
export function namesOf(commander: Commander): string[] {
  return chainOf(commander).flatMap((each) => (each.parent ? each.name() : []));
}

/** The command and its parents, the program first. */
export function chainOf(command: Commander): Commander[] {
  return command.parent ? [...chainOf(command.parent), command] : [command];
}

/** Whether a word is the name of a group, and the next word is none of its commands. */
export function isUnknownChild(name: string, child: string): boolean {
  const entry = namedCommand(name);
  return entry !== undefined && !entry.load && !hasChild(name, child);
}

/** Whether a word is the name of a group that has this command. */
export function hasChild(name: string, child: string): boolean {
  return Object.hasOwn(namedCommand(name)?.commands ?? {}, child);
}

export function groupsWith(child: string): string[] {
  return Object.values(commands).flatMap((entries) => Object.keys(entries).filter((name) => hasChild(name, child)));
}
