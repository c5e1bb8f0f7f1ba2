import type { Argument, Command as Commander, Option } from 'commander';
import { commands } from './commands/index.ts';
import { exitCodes } from './errors.ts';
import { addCommands, buildProgram, configureCommand } from './program/run-program.ts';
import { version } from './version.ts';

/** The whole program as data: for agents, for completion, for docs/commands.md. */
export interface Reference {
  name: string;
  version: string;
  flags: FlagReference[];
  commands: CommandReference[];
  /** What each group of commands is about. */
  groups: Record<string, string>;
  exitCodes: { name: string; code: number; when: string }[];
}

export interface CommandReference {
  /** As typed, without the leading `gantry`. */
  command: string;
  group: string;
  summary: string;
  usage: string;
  arguments: { name: string; description: string; required: boolean; variadic: boolean; choices?: string[] }[];
  flags: FlagReference[];
  json: Record<string, string>;
  examples: string[];
}

export interface FlagReference {
  flags: string;
  description: string;
  type: 'boolean' | 'value' | 'list';
  valueRequired: boolean;
  choices?: string[];
  default?: unknown;
}

/** Loads every command, which no other path of the program does. */
export async function reference(): Promise<Reference> {
  const nothing = async () => {};
  const root = buildProgram(nothing, () => {});
  const found: CommandReference[] = [];
  const groups: Record<string, string> = {};
  for (const [group, entries] of Object.entries(commands)) {
    for (const [name, entry] of Object.entries(entries)) {
      const leaves = 'load' in entry ? { '': entry } : entry.commands;
      const parent = child(root, name);
      if ('commands' in entry) {
        groups[name] = entry.summary;
        addCommands(parent, entry.commands, nothing);
      }
      for (const [leafName, leaf] of Object.entries(leaves)) {
        const command = leafName ? child(parent, leafName) : parent;
        const { json, examples } = await configureCommand(command, leaf, nothing);
        found.push({ ...described(command, [name, leafName].filter(Boolean).join(' ')), group, json, examples });
      }
    }
  }
  return {
    name: 'gantry',
    version,
    flags: root.options.map(flag),
    commands: found,
    groups,
    exitCodes: Object.entries(exitCodes).map(([name, { code, when }]) => ({ name, code, when })),
  };
}

function child(parent: Commander, name: string): Commander {
  const found = parent.commands.find((command) => command.name() === name);
  if (!found) throw new Error(`no command ${name}`);
  return found;
}

function described(command: Commander, line: string): Omit<CommandReference, 'group' | 'json' | 'examples'> {
  return {
    command: line,
    summary: command.summary(),
    usage: `gantry ${line} ${command.usage()}`.trim(),
    arguments: command.registeredArguments.map(argument),
    flags: command.options.map(flag),
  };
}

function argument(declared: Argument): CommandReference['arguments'][number] {
  const { description, required, variadic, argChoices } = declared;
  return { name: declared.name(), description, required, variadic, ...(argChoices ? { choices: argChoices } : {}) };
}

function flag(option: Option): FlagReference {
  const { description, variadic, required, optional, argChoices, defaultValue } = option;
  return {
    flags: option.long === '--json' ? '--json[=fields]' : option.flags,
    description,
    type: variadic ? 'list' : required || optional ? 'value' : 'boolean',
    valueRequired: required,
    ...(argChoices ? { choices: argChoices } : {}),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}
