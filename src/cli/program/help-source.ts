import type { Command as Commander } from 'commander';
import { commands, type Group, type Leaf } from '../commands/index.ts';
import { describeCommand } from './describe-command.ts';
import type { HelpSource } from './help.ts';

/** What the help of a command is made from, as `gantry help --json` has it too. */
export async function helpSourceOf(commander: Commander): Promise<HelpSource> {
  const [name, leafName] = pathOf(commander);
  if (name === undefined) return { categories: summariesByCategory() };
  const [category = '', entries = {}] =
    Object.entries(commands).find(([, entries]) => Object.hasOwn(entries, name)) ?? [];
  const entry = entries[name] as Leaf | Group;
  const leaf = leafName === undefined ? ('load' in entry ? entry : undefined) : entry.commands?.[leafName];
  if (!leaf) return { group: name, summary: entry.summary, commands: summariesOf((entry as Group).commands) };
  const { default: command } = await leaf.load();
  return describeCommand(commander, command, [name, leafName].filter(Boolean).join(' '), category);
}

/** What every word at the top level is about. */
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
