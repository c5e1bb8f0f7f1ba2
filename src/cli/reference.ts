import type { Command as Commander } from 'commander';
import { gantryCommand } from '../kernel/command-line.ts';
import { type ExitName, exitCodes, UsageError } from '../kernel/errors.ts';
import { version } from '../kernel/version.ts';
import type { Command } from './command.ts';
import { commands, type Leaf } from './commands/index.ts';
import { addCommands, buildProgram, configureCommand } from './program/command-tree.ts';
import {
  type ArgumentReference,
  type CommandReference,
  describeCommand,
  describeExitCodes,
  describeFlag,
  type ExitCodeReference,
  type FlagReference,
} from './program/describe-command.ts';
import { type OutputSchema, outputSchema } from './program/output-schema.ts';

export { flagMeaning, helpText } from './program/help.ts';
export { summariesByCategory } from './program/help-source.ts';
export type { ArgumentReference, CommandReference, FlagReference, OutputSchema };

/** The whole program as data: for agents, for completion, for the site. */
export interface Reference {
  name: string;
  version: string;
  flags: FlagReference[];
  commands: CommandReference[];
  /** What each group of commands is about. */
  groups: Record<string, string>;
  exitCodes: ExitCodeReference[];
}

export function globalFlags(): FlagReference[] {
  const { options } = buildProgram({ run: ignore, onHelp: () => {} });
  const help = {
    flags: '-h, --help',
    description: 'show help for a command',
    type: 'boolean',
    valueRequired: false,
  } as const;
  return [help, ...options.map((option) => describeFlag(option))];
}

export async function reference(): Promise<Reference> {
  const groups = Object.values(commands).flatMap((entries) => Object.entries(entries));
  return {
    name: 'gantry',
    version,
    flags: globalFlags(),
    commands: await Promise.all(listCommands().map(describe)),
    groups: Object.fromEntries(groups.flatMap(([name, entry]) => ('load' in entry ? [] : [[name, entry.summary]]))),
    exitCodes: describeExitCodes(Object.keys(exitCodes) as ExitName[]),
  };
}

/** One command as data. `line` is what is typed, `apps get`. Throws UsageError if there is no such command. */
export async function referenceOf(line: string): Promise<CommandReference> {
  return describe(findCommand(line));
}

/** The JSON Schema of what a command prints. Throws UsageError if there is no such command or if it has no JSON. */
export async function outputSchemaOf(line: string): Promise<OutputSchema> {
  const { commander, command } = await load(findCommand(line));
  if (!command.json) throw new UsageError(`gantry ${line} prints raw bytes: its output has no schema`);
  const hasEvents = commander.options.some(({ long }) => long === '--events');
  return outputSchema(line, command.json, hasEvents || command.json.events !== undefined);
}

interface ListedCommand {
  line: string;
  category: string;
  leaf: Leaf;
}

function listCommands(): ListedCommand[] {
  return Object.entries(commands).flatMap(([category, entries]) =>
    Object.entries(entries).flatMap(([name, entry]) => [
      ...('load' in entry ? [{ line: name, category, leaf: entry }] : []),
      ...Object.entries(entry.commands ?? {}).map(([child, leaf]) => ({ line: `${name} ${child}`, category, leaf })),
    ]),
  );
}

function findCommand(line: string): ListedCommand {
  const found = listCommands().find((listed) => listed.line === line);
  if (found) return found;
  throw new UsageError(`unknown command "${line}"`, { fix: gantryCommand`help --all` });
}

async function describe(listed: ListedCommand): Promise<CommandReference> {
  const { commander, command } = await load(listed);
  return describeCommand(commander, command, listed.line, listed.category);
}

async function load({ line, leaf }: ListedCommand): Promise<{ commander: Commander; command: Command }> {
  const [name = '', childName] = line.split(' ');
  const parent = childOf(buildProgram({ run: ignore, onHelp: () => {}, firstWord: name }), name);
  if (childName !== undefined) addCommands(parent, { [childName]: leaf }, ignore);
  const commander = childName === undefined ? parent : childOf(parent, childName);
  return { commander, command: await configureCommand(commander, leaf, ignore) };
}

function childOf(parent: Commander, name: string): Commander {
  const found = parent.commands.find((command) => command.name() === name);
  if (!found) throw new Error(`no command ${name}`);
  return found;
}

async function ignore(): Promise<void> {}
