import { returnToBuild } from '../../deploys/rollback/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { defineCommand } from '../command.ts';
import { deployedAgain } from '../views/deployment-fields.ts';

export default defineCommand({
  configure: (command) => command.argument('<from>', 'app').argument('<to>', 'app'),
  run: (context, from, onto) => {
    const again = { onto, without: gantryCommand`deploy --name ${onto}` };
    return returnToBuild(context, from, { configFile: '', logs: !context.progress.isQuiet, typedMs: undefined, again });
  },
  ...deployedAgain,
  details: ['The archive is the same, byte for byte. The other app keeps its scaling, region and secrets.'],
  examples: ['promote web-staging web --dry-run', 'promote web-staging web --yes'],
});
