import { defineCommand } from '../../command.ts';
import { changeGrants } from '../../operations/grants.ts';
import { grantChangeFields, grantChangeView } from '../../views/grants.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<id>', 'service account id')
      .argument('<project...>', 'projects it may access from now on')
      .option('--dry-run', 'show what would change, and stop'),
  run: (context, id, projects, { dryRun }) =>
    changeGrants(context, { id, change: 'grant', projects, dryRun: dryRun === true }),
  view: grantChangeView,
  json: grantChangeFields,
  examples: ['service-accounts grant sa-1234 p-1234', 'service-accounts grant sa-1234 p-1234 p-5678 --dry-run'],
});
