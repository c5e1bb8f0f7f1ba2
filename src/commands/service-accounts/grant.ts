import { defineCommand } from '../../command.ts';
import { grantFlags } from '../../flags/grants.ts';
import { changeGrants } from '../../operations/team/index.ts';
import { grantChangeJson, grantChangeView } from '../../views/grants.ts';

export default defineCommand({
  configure: (command) => grantFlags(command, 'projects to add'),
  run: (context, id, projects, { dryRun }) =>
    changeGrants(context, { id, change: 'grant', projects, dryRun: dryRun === true }),
  view: grantChangeView,
  effect: 'changes',
  json: grantChangeJson,
  examples: ['service-accounts grant sa-1234 p-1234', 'service-accounts grant sa-1234 p-1234 p-5678 --dry-run'],
});
