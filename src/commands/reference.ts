import { defineCommand } from '../command.ts';
import { stackViews, table } from '../output/table.ts';

export default defineCommand({
  run: async () => (await import('../reference.ts')).reference(),
  verbatim: () => true,
  view: ({ commands, exitCodes }) =>
    stackViews(
      table(commands, { COMMAND: (entry) => entry.command, WHAT: (entry) => entry.summary }),
      table(exitCodes, { EXIT: (exit) => exit.code, NAME: (exit) => exit.name, WHEN: (exit) => exit.when }),
    ),
  json: {
    name: 'gantry',
    version: 'its version',
    flags: 'flags of every command',
    commands: 'each command: arguments, flags, JSON fields, examples',
    groups: 'summary of each command group',
    exitCodes: 'each exit code: name, number, when',
  },
  examples: ['reference --json', 'reference --json=commands'],
});
