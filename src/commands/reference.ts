import { defineCommand } from '../command.ts';
import { referenceView } from '../views/reference.ts';

export default defineCommand({
  run: async () => (await import('../reference.ts')).reference(),
  verbatim: () => true,
  view: ({ commands }) => referenceView(commands),
  json: {
    name: 'gantry',
    version: 'its version',
    flags: 'flags that every command has',
    commands: 'each command: arguments, flags, JSON fields, examples',
    groups: 'what each group of commands is about',
    exitCodes: 'each exit code: name, number, when',
  },
  examples: ['reference --json', 'reference --json=commands'],
});
