import { defineCommand } from '../../command.ts';
import { changeGrants } from '../../operations/grants.ts';
import { grantChangeFields, grantChangeView } from '../../views/grants.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<id>', 'service account id')
      .argument('<project...>', 'all the projects it may access')
      .option('--dry-run', 'show what would change, and stop'),
  run: (context, id, projects, { dryRun }) =>
    changeGrants(context, { id, change: 'set', projects, dryRun: dryRun === true }),
  view: grantChangeView,
  json: grantChangeFields,
  examples: [
    'service-accounts set-grants sa-1234 p-1234',
    'service-accounts set-grants sa-1234 p-1234 p-5678 --dry-run',
  ],
});
