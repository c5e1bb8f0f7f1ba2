import { promote } from '../../deploys/rollback/index.ts';
import { defineCommand } from '../command.ts';
import { namedAppArgument } from '../flags/app.ts';
import { deployedAgain } from '../views/deployment-fields.ts';

export default defineCommand({
  configure: (command) =>
    namedAppArgument(command, '<from>').argument('<to>', 'app of the same project, which must exist'),
  run: (context, from, to) => promote(context, from, to, !context.progress.isQuiet),
  ...deployedAgain,
  details: [
    'The archive is the same, byte for byte. The other app keeps its scaling, region and secrets. A new one is made by deploy --name NAME --new.',
    'In another project, deploy the same commit: deploy -p OTHER.',
  ],
  examples: ['promote web-staging web --dry-run', 'promote web-staging web --yes'],
});
