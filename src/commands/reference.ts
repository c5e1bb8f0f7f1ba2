import { defineCommand } from '../command.ts';
import { referenceView } from '../views/reference.ts';

export default defineCommand({
  run: async () => (await import('../reference.ts')).reference(),
  verbatim: () => true,
  view: ({ commands }) => referenceView(commands),
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
