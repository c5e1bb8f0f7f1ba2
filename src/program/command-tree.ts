import { Command as Commander, Option } from 'commander';
import type { Command } from '../command.ts';
import { commands, type Group, type Leaf } from '../commands/index.ts';
import type { GlobalFlags } from '../context.ts';
import { UsageError } from '../errors.ts';
import { version } from '../version.ts';
import { commandHelp, configureHelp } from './help.ts';

type CommandRunner = (command: Command, flags: GlobalFlags, inputs: unknown[]) => Promise<void>;

/**
 * The parser of the command line. `write` gets the text of `--help` and `--version`. If `firstWord` names a command, the
 * tree has only that one: adding all others would take longer than parsing.
 */
export function buildProgram(run: CommandRunner, write: (text: string) => void, firstWord = ''): Commander {
  const root = addGlobalFlags(new Commander('gantry'))
    .version(version, '-V, --version', 'show the version')
    .helpCommand(false)
    .exitOverride();
  configureHelp(root, write);
  for (const [heading, entries] of Object.entries(commands)) {
    const called = Object.hasOwn(entries, firstWord) ? entries[firstWord] : undefined;
    if (!called && isCommand(firstWord)) continue;
    root.commandsGroup(`${heading}:`);
    addCommands(root, called ? { [firstWord]: called } : entries, run);
  }
  return root;
}

export function isCommand(name: string): boolean {
  return Object.values(commands).some((entries) => Object.hasOwn(entries, name));
}

function addGlobalFlags(root: Commander): Commander {
  return root
    .option('--json [fields]', 'print JSON, or only the given fields of it')
    .option('-q, --quiet', 'print only results and errors')
    .option('--debug', 'show requests, and the stack trace of an error')
    .addOption(new Option('--color <when>', 'when to use color').choices(['always', 'never', 'auto']).default('auto'))
    .option('--no-input', 'never prompt: exit with code 9 instead')
    .option('-y, --yes', 'answer yes to confirmations')
    .option('-p, --project <id>', 'project to use')
    .option('--profile <profile>', 'profile to use')
    .option('--region <region>', 'region to use')
    .option('-C, --cwd <dir>', 'run in this folder');
}

/** Adds names and summaries. A command's module is loaded when commander is about to parse what follows its name. */
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

/** Loads a command's module and adds its arguments, flags, help and action. */
export async function configureCommand(child: Commander, leaf: Leaf, run: CommandRunner): Promise<Command> {
  const { default: command } = await leaf.load();
  command.configure(child as never);
  child.exitOverride((error) => {
    // Commander's message has only the number of arguments.
    const unexpected = child.args[child.registeredArguments.length];
    if (error.code === 'commander.excessArguments') error.message = `unexpected argument "${unexpected}"`;
    throw error;
  });
  child.addHelpText('after', () => commandHelp(command));
  child.action(async (...inputs: unknown[]) => {
    inputs.pop();
    rejectEmptyArguments(child, inputs);
    await run(command, child.optsWithGlobals() as GlobalFlags, inputs);
  });
  return command;
}

/** Rejects `gantry apps delete "$APP"` with APP unset. */
function rejectEmptyArguments(child: Commander, inputs: unknown[]): void {
  const empty = child.registeredArguments.find(({ required }, at) =>
    required ? [inputs[at]].flat()[0] === '' : inputs[at] === '',
  );
  if (!empty) return;
  throw new UsageError(`argument <${empty.name()}> is empty`, { fix: 'check that the shell variable is set' });
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
