import { prunePreviews } from '../../../deploys/previews/index.ts';
import { defineCommand } from '../../command.ts';
import { durationFlag } from '../../flags/values.ts';
import { boolean, documents, optional, text } from '../../result-schema.ts';
import { previewFields } from '../../views/previews.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option('--older-than <duration>', 'only those whose last deploy is longer ago', durationFlag)
      .option('--merged', 'only those whose branch is merged into the default branch')
      .option('--expired', 'only those whose time to live (deploy --preview --ttl) is over')
      .option('--branch <branch>', 'only those of this branch, also if it is deleted')
      .option('--confirm <repository>', 'confirm with the name of the repository'),
  run: async (context, { merged = false, expired = false, ...flags }) => {
    const previews = await prunePreviews(context, { ...flags, merged, expired });
    return previews.map((preview) => ({ ...preview, deleted: preview.changed }));
  },
  view: (previews) =>
    previews
      .filter(({ changed }) => changed)
      .map(({ app }) => `deleted ${app}`)
      .join('\n'),
  empty: 'nothing to prune',
  effect: 'destroys',
  dryRun: true,
  exits: ['pending'],
  json: documents({
    ...previewFields,
    changed: boolean('false if it was deployed, renewed or deleted meanwhile'),
    deleted: optional(boolean('whether it is deleted; its status is that from before')),
    confirm: text('name that --confirm takes'),
  }),
  details: ['A preview is known by its name, or was deployed by this machine or its team.'],
  examples: [
    'apps prune --merged --dry-run',
    'apps prune --expired --confirm my-repo',
    'apps prune --branch fix-login --confirm my-repo',
    'apps prune --older-than 14d --confirm my-repo',
  ],
});
