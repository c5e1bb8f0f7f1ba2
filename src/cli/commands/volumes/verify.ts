import { verifyWeights } from '../../../storage/weights/index.ts';
import { defineCommand } from '../../command.ts';
import { boolean, choice, document, integer, list, object, text } from '../../result-schema.ts';
import { verifyView } from '../../views/weights.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[path]', 'folder on a volume (default: all of weights.lock)')
      .option('--quick', 'compare listings only'),
  run: (context, path, { quick }) => verifyWeights(context, path, { quick: quick ?? false }),
  exit: ({ problems }) => (problems.length > 0 ? 'conflict' : 'ok'),
  view: verifyView,
  data: ({ next: _, ...summary }) => summary,
  next: ({ next }) => (next ? [next] : []),
  json: document({
    lock: text('file that says what the weights must be'),
    files: integer('number of files that were compared'),
    bytes: integer('their size'),
    problems: list(
      object({
        target: text('folder on the volume'),
        path: text('path below the folder'),
        problem: choice(['missing', 'other size', 'other time', 'other content'], 'what differs'),
      }),
      'files that are not as the lock says: folder, path and problem',
    ),
    quick: boolean('true if only what is listed was compared'),
  }),
  effect: 'reads',
  examples: ['volumes verify', 'volumes verify :/models/qwen', 'volumes verify --quick'],
});
