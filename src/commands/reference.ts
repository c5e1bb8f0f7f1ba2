import { defineCommand } from '../command.ts';
import { stackViews, table } from '../output/table.ts';
import { anything, document, passThrough } from '../result-schema.ts';

export default defineCommand({
  run: async () => (await import('../reference.ts')).reference(),
  verbatim: () => true,
  view: ({ commands, exitCodes }) =>
    stackViews(
      table(commands, { COMMAND: (entry) => entry.command, WHAT: (entry) => entry.summary }),
      table(exitCodes, { EXIT: (exit) => exit.code, NAME: (exit) => exit.name, WHEN: (exit) => exit.when }),
    ),
  json: document(
    passThrough({
      name: anything('gantry'),
      version: anything('its version'),
      flags: anything('flags of every command'),
      commands: anything('each command: arguments, flags, JSON fields, examples'),
      groups: anything('summary of each command group'),
      exitCodes: anything('each exit code: name, number, when'),
    }),
  ),
  effect: 'reads',
  examples: ['reference --json', 'reference --json=commands'],
});
