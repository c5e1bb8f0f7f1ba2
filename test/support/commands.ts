import type { Command } from '../../src/cli/command.ts';
import { commands, type Group, type Leaf } from '../../src/cli/commands/index.ts';

/** What is typed to call each command. */
export function commandLines(): string[] {
  return Object.values(commands)
    .flatMap((entries) => Object.entries<Leaf | Group>(entries))
    .flatMap(([name, entry]) => [
      ...('load' in entry ? [name] : []),
      ...Object.keys(entry.commands ?? {}).map((child) => `${name} ${child}`),
    ]);
}

/** The command of a line, `apps list`. */
export async function loadCommand(line: string): Promise<Command> {
  const [name = '', child] = line.split(' ');
  const entry = Object.values(commands).find((entries) => Object.hasOwn(entries, name))?.[name];
  const own = entry && 'load' in entry ? entry : undefined;
  const leaf = child === undefined ? own : entry?.commands?.[child];
  if (!leaf) throw new Error(`no command ${line}`);
  return (await leaf.load()).default;
}
