import { changeGrants } from '../../../team/members.ts';
import { defineCommand } from '../../command.ts';
import { grantFlags } from '../../flags/grants.ts';
import { grantChangeJson, grantChangeView } from '../../views/grants.ts';

export default defineCommand({
  configure: (command) => grantFlags(command, 'all projects that it has access to afterwards'),
  run: (context, id, projects) => changeGrants(context, { id, change: 'set-grants', projects }),
  view: grantChangeView,
  effect: 'destroys',
  dryRun: true,
  json: grantChangeJson,
  examples: [
    'service-accounts set-grants sa-1234 p-1234',
    'service-accounts set-grants sa-1234 p-1234 p-5678 --dry-run',
  ],
});
