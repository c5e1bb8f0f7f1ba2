import { gantryCommand } from '../../../kernel/command-line.ts';
import { verifyFields, verifyWeights } from '../../../storage/weights/index.ts';
import { defineCommand } from '../../command.ts';
import { document } from '../../result-schema.ts';
import { verifyView } from '../../views/weights.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[path]', 'folder on a volume (default: all of weights.lock)')
      .option('--quick', 'compare listings only'),
  run: (context, path, { quick }) => verifyWeights(context, path, { quick: quick ?? false }),
  exit: ({ problems }) => (problems.length > 0 ? 'conflict' : 'ok'),
  view: verifyView,
  next: ({ problems }) =>
    problems.length > 0 ? [{ line: gantryCommand`cp --lock`, when: 'to copy what differs' }] : [],
  json: document(verifyFields),
  effect: 'reads',
  examples: ['volumes verify', 'volumes verify :/models/qwen', 'volumes verify --quick'],
});
