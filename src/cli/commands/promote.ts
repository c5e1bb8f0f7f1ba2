import { promote } from '../../deploys/rollback/index.ts';
import { defineCommand } from '../command.ts';
import { namedAppArgument } from '../flags/app.ts';
import { durationFlag } from '../flags/values.ts';
import { deployedAgain } from '../views/deployed-again.ts';

export default defineCommand({
  configure: (command) =>
    namedAppArgument(command, '<from>')
      .argument('<to>', 'app of the same project, which must exist')
      .option('--force', 'promote a sick build, one of a different app, or the same files again')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag),
  run: (context, from, to, { force = false, timeout: typedMs }) =>
    promote(context, from, to, { logs: !context.progress.isQuiet, typedMs, force }),
  ...deployedAgain,
  details: [
    'The archive is the same, byte for byte. The other app keeps its scaling, region and secrets. A new one is made by deploy --name NAME --new.',
    'In another project, deploy the same commit: deploy -p OTHER.',
  ],
  examples: ['promote web-staging web --dry-run', 'promote web-staging web --yes'],
});
