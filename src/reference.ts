import type { Argument, Command as Commander, Option } from 'commander';
import { commands } from './commands/index.ts';
import { exitCodes } from './errors.ts';
import { addCommands, buildProgram, configureCommand } from './program/command-tree.ts';
import { version } from './version.ts';

/** The whole command line as data, for agents, shell completion and docs/commands.md. */
export interface Reference {
  name: string;
  version: string;
  flags: FlagReference[];
  commands: CommandReference[];
  /** The summary of each group. */
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

/** Builds the reference. Loads the module of every command. */
export async function reference(): Promise<Reference> {
  const doNothing = async () => {};
  const root = buildProgram(doNothing, () => {});
  const references: CommandReference[] = [];
  const groups: Record<string, string> = {};
  for (const [group, entries] of Object.entries(commands)) {
    for (const [name, entry] of Object.entries(entries)) {
      const subcommands = 'load' in entry ? { '': entry } : entry.commands;
      const parent = findCommand(root, name);
      if ('commands' in entry) {
        groups[name] = entry.summary;
        addCommands(parent, entry.commands, doNothing);
      }
      for (const [subcommand, leaf] of Object.entries(subcommands)) {
        const command = subcommand ? findCommand(parent, subcommand) : parent;
        const { json, examples } = await configureCommand(command, leaf, doNothing);
        references.push({
          ...describeCommand(command, [name, subcommand].filter(Boolean).join(' ')),
          group,
          json,
          examples,
        });
      }
    }
  }
  return {
    name: 'gantry',
    version,
    flags: root.options.map(describeFlag),
    commands: references,
    groups,
    exitCodes: Object.entries(exitCodes).map(([name, { code, when }]) => ({ name, code, when })),
  };
}

function findCommand(parent: Commander, name: string): Commander {
  const found = parent.commands.find((command) => command.name() === name);
  if (!found) throw new Error(`no command ${name}`);
  return found;
}

function describeCommand(command: Commander, line: string): Omit<CommandReference, 'group' | 'json' | 'examples'> {
  return {
    command: line,
    summary: command.summary(),
    usage: `gantry ${line} ${command.usage()}`.trim(),
    arguments: command.registeredArguments.map(describeArgument),
    flags: command.options.map(describeFlag),
  };
}

function describeArgument(declared: Argument): CommandReference['arguments'][number] {
  const { description, required, variadic, argChoices } = declared;
  return { name: declared.name(), description, required, variadic, ...(argChoices ? { choices: argChoices } : {}) };
}

function describeFlag(option: Option): FlagReference {
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
