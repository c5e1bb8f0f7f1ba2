import { defineCommand } from '../command.ts';
import { gantryCommand } from '../command-line.ts';
import { durationFlag } from '../flags/values.ts';
import { returnToBuild } from '../operations/rollback/index.ts';
import { deployedAgain } from '../views/deployed-again.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<from>', 'app whose live build is deployed')
      .argument('<to>', 'app that gets it')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag),
  run: (context, from, onto, { timeout: typedMs }) => {
    const again = { onto, without: gantryCommand`deploy --name ${onto}` };
    return returnToBuild(context, from, { configFile: '', logs: !context.progress.isQuiet, typedMs, again });
  },
  ...deployedAgain,
  details: [
    'Deploys the archive that serves as the first app as the second one, byte for byte. The second app keeps its scaling, its region and its secrets.',
  ],
  examples: ['promote web-staging web --dry-run', 'promote web-staging web --yes'],
});
