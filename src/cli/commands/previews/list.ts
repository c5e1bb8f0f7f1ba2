import { listPreviews } from '../../../deploys/previews/index.ts';
import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { defineCommand } from '../../command.ts';
import { documents } from '../../result-schema.ts';
import { previewFields, previewsTable } from '../../views/previews.ts';

export default defineCommand({
  run: async (context) => (await listPreviews(context)).previews,
  view: previewsTable,
  empty: sentence`no previews; ${gantryCommand`deploy --preview`} makes one`,
  effect: 'reads',
  json: documents(previewFields),
  details: [
    'Apps that may be previews of another repository are listed as unproven. gantry previews prune never deletes them.',
  ],
  examples: ['previews list', 'previews list --json=app,branch,merged'],
});
