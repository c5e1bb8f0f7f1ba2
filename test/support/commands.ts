import type { Command } from '../../src/cli/command.ts';
import { commands, namedCommand } from '../../src/cli/commands/index.ts';

/** What is typed to call each command. */
export function commandLines(): string[] {
  return Object.values(commands)
    .flatMap((entries) => Object.entries(entries))
    .flatMap(([name, entry]) => [
      ...(entry.load ? [name] : []),
      ...Object.keys(entry.commands ?? {}).map((child) => `${name} ${child}`),
    ]);
}

/** The command of a line, `apps list`. */
export async function loadCommand(line: string): Promise<Command> {
  const [name = '', child] = line.split(' ');
  const entry = namedCommand(name);
  const leaf = child === undefined ? entry : entry?.commands?.[child];
  if (!leaf?.load) throw new Error(`no command ${line}`);
  return (await leaf.load()).default;
}
