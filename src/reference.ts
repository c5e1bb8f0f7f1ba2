import type { Command as Commander } from 'commander';
import { commands } from './commands/index.ts';
import { exitCodes } from './errors.ts';
import { addCommands, buildProgram, configureCommand } from './program/command-tree.ts';
import {
  type CommandReference,
  describeCommand,
  describeFlag,
  type FlagReference,
} from './program/describe-command.ts';
import { version } from './version.ts';

export { flagMeaning } from './program/help.ts';
export type { CommandReference, FlagReference };

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

/** The flags that every command takes. */
export function globalFlags(): FlagReference[] {
  const { options } = buildProgram({ run: async () => {}, onHelp: () => {} });
  const help = {
    flags: '-h, --help',
    description: 'show help for a command',
    type: 'boolean',
    valueRequired: false,
  } as const;
  return [help, ...options.map(describeFlag)];
}

/** Loads every command, which no other path of the program does. */
export async function reference(): Promise<Reference> {
  const nothing = async () => {};
  const root = buildProgram({ run: nothing, onHelp: () => {} });
  const found: CommandReference[] = [];
  const groups: Record<string, string> = {};
  for (const [category, entries] of Object.entries(commands)) {
    for (const [name, entry] of Object.entries(entries)) {
      const leaves = 'load' in entry ? { '': entry } : entry.commands;
      const parent = child(root, name);
      if ('commands' in entry) {
        groups[name] = entry.summary;
        addCommands(parent, entry.commands, nothing);
      }
      for (const [leafName, leaf] of Object.entries(leaves)) {
        const command = leafName ? child(parent, leafName) : parent;
        const configured = await configureCommand(command, leaf, nothing);
        found.push(describeCommand(command, configured, [name, leafName].filter(Boolean).join(' '), category));
      }
    }
  }
  return {
    name: 'gantry',
    version,
    flags: globalFlags(),
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
