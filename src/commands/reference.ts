import { defineCommand } from '../command.ts';
import { anything, document, passThrough } from '../result-schema.ts';
import { referenceView } from '../views/reference.ts';

export default defineCommand({
  run: async () => (await import('../reference.ts')).reference(),
  verbatim: () => true,
  view: ({ commands }) => referenceView(commands),
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
