import { changeGrants } from '../../../team/members.ts';
import { defineCommand } from '../../command.ts';
import { grantFlags } from '../../flags/grants.ts';
import { grantChangeJson, grantChangeView } from '../../views/grants.ts';

export default defineCommand({
  configure: (command) => grantFlags(command, 'projects to add'),
  run: (context, id, projects) => changeGrants(context, { id, change: 'grant', projects }),
  view: grantChangeView,
  effect: 'changes',
  dryRun: true,
  json: grantChangeJson,
  examples: ['service-accounts grant sa-1234 p-1234', 'service-accounts grant sa-1234 p-1234 p-5678 --dry-run'],
});
