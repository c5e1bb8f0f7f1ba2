import type { Command as Commander } from 'commander';
import { commands, namedCommand } from '../commands/index.ts';
import { describeCommand } from './describe-command.ts';
import type { HelpSource } from './help.ts';

/** What the help of a command is made from, as `gantry help --json` has it too. */
export async function helpSourceOf(commander: Commander): Promise<HelpSource> {
  const [name = '', leafName] = pathOf(commander);
  const entry = namedCommand(name);
  const leaf = leafName === undefined ? entry : entry?.commands?.[leafName];
  if (!leaf?.load) return groupSourceOf(name) ?? { categories: summariesByCategory() };
  const { default: command } = await leaf.load();
  const category = Object.keys(commands).find((each) => Object.hasOwn(commands[each] ?? {}, name)) ?? '';
  return describeCommand(commander, command, [name, leafName].filter(Boolean).join(' '), category);
}

export function groupSourceOf(name: string) {
  const { load, summary = '', commands } = namedCommand(name) ?? {};
  return load || !commands ? undefined : { group: name, summary, commands: summariesOf(commands) };
}

export function summariesByCategory(): Record<string, Record<string, string>> {
  return Object.fromEntries(Object.entries(commands).map(([category, entries]) => [category, summariesOf(entries)]));
}

function summariesOf(entries: Record<string, { summary: string }>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([name, { summary }]) => [name, summary]));
}

/** Its name and those of its parents, without `gantry`. */
function pathOf(commander: Commander): string[] {
  return commander.parent ? [...pathOf(commander.parent), commander.name()] : [];
}
