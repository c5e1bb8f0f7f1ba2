import { defineCommand } from '../../command.ts';
import { platformExits } from '../../errors.ts';
import { durationFlag } from '../../flags/values.ts';
import { prunePreviews } from '../../operations/previews/index.ts';
import { boolean, documents } from '../../result-schema.ts';
import { previewFields } from '../../views/previews.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[preview]', 'only this one: its app, its branch, or a part that names one only')
      .option('--older-than <duration>', 'only those whose last deploy is longer ago', durationFlag)
      .option('--merged', 'only those whose branch is merged into the default branch')
      .option(
        '--confirm <repository>',
        'confirm with the name of the repository, or of the one preview, instead of at the prompt',
      ),
  run: (context, named, { olderThan, merged = false, confirm }) =>
    prunePreviews(context, { named, olderThan, merged, confirm }),
  view: (previews) => () =>
    previews
      .filter(({ changed }) => changed)
      .map(({ app }) => `deleted ${app}`)
      .join('\n'),
  empty: 'nothing to prune',
  effect: 'destroys',
  dryRun: true,
  exits: [...platformExits, 'pending'],
  json: documents({ ...previewFields, changed: boolean('false if it was deployed or deleted meanwhile') }),
  details: [
    'Deletes previews that provably belong to the git repository of this folder: their name is made of the repository, the app and one of its branches, or this machine deployed them.',
  ],
  examples: [
    'previews prune --merged --dry-run',
    'previews prune --older-than 14d --confirm my-repo',
    'previews prune fix/login',
  ],
});
