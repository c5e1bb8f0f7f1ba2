import type { Effect } from '../command.ts';
import type { CommandReference } from '../reference.ts';
import { type InputSchema, propertiesOf, toolInput } from './input.ts';

/** A tool: one command, or the commands of a noun that have the same effect. */
export interface CommandTool {
  name: string;
  commands: readonly CommandReference[];
}

export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: InputSchema;
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean };
}

/** A tool a noun and effect: a model reads the whole list, and the effect decides what is called without asking. */
export function commandTools(commands: readonly CommandReference[]): CommandTool[] {
  return [...groupBy(suitableCommands(commands), nounOf)].flatMap(([noun, members]) => {
    const effects = [...groupBy(members, ({ effect }) => effect)];
    const suffix = (effect: Effect) => (effects.length === 1 ? '' : suffixes[effect]);
    return effects.map(([effect, sharing]) => ({ name: noun + suffix(effect), commands: sharing }));
  });
}

/** What ends by itself and is of use to an agent. */
export function suitableCommands(commands: readonly CommandReference[]): CommandReference[] {
  return foundCommands(commands).filter(isSuitable);
}

/** The commands that have tools, and those that an agent runs in a shell. */
export function foundCommands(commands: readonly CommandReference[]): CommandReference[] {
  return commands.filter(({ command }) => !notForAgents.has(command));
}

export function isSuitable({ unattended, command }: Pick<CommandReference, 'unattended' | 'command'>): boolean {
  return unattended && !onlyInShell.has(command);
}

function groupBy<Entry, Key>(entries: readonly Entry[], keyOf: (entry: Entry) => Key): Map<Key, Entry[]> {
  const groups = new Map<Key, Entry[]>();
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return groups;
}

/** About gantry itself, or a way for an agent to lock itself out. */
const notForAgents = new Set(['mcp install', 'mcp serve', 'completion', 'help', 'logout']);
const onlyInShell = new Set(['apps prune', 'emulator env', 'emulator list', 'emulator stop']);

/** The endings for tools whose noun has commands with several effects. */
const suffixes: Record<Effect, string> = { reads: '', changes: '_change', destroys: '_destroy' };

const sharedTools: Record<string, readonly string[]> = {
  app_folder: ['check', 'init'],
  files: ['cp', 'sync', 'ls', 'cat', 'rm', 'volumes'],
  apps: ['apps', 'cost', 'metrics'],
  builds: ['builds', 'history'],
  account: 'whoami doctor status projects users service-accounts api-keys config plan'.split(' '),
};

function nounOf({ command }: CommandReference): string {
  const [word = ''] = command.split(' ');
  const shared = Object.keys(sharedTools).find((name) => sharedTools[name]?.includes(word));
  return shared ?? word;
}

export function toolDefinition({ name, commands }: CommandTool): ToolDefinition {
  const effects = new Set(commands.map(({ effect }) => effect));
  return {
    name,
    description: commands.map(summaryLine).join('\n'),
    inputSchema: toolInput(commands),
    // Without the hint, clients assume that a tool that is not read-only may destroy.
    annotations: effects.has('reads')
      ? { readOnlyHint: true }
      : { readOnlyHint: false, destructiveHint: effects.has('destroys') },
  };
}

/** `apps get <app>: show an app`, with the names of the properties. */
function summaryLine(command: CommandReference): string {
  const inputs = propertiesOf(command)
    .filter(({ flag, required }) => flag === undefined && required)
    .map(({ name }) => ` <${name}>`);
  return `${command.command}${inputs.join('')}: ${command.summary}`;
}
