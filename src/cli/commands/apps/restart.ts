import { restart } from '../../../deploys/rollback/index.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { durationFlag } from '../../flags/values.ts';
import { deployedAgain } from '../../views/deployed-again.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .option('--from-git <revision>', 'deploy this revision, if it has the same files')
      .option('--force', 'deploy even if the files differ')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag),
  run: (context, app, { fromGit, configFile, force = false, timeout: typedMs }) =>
    restart(context, app, { fromGit, configFile, force, logs: !context.progress.isQuiet, typedMs }),
  ...deployedAgain,
  details: ['Waits until the replicas of before have ended.'],
  examples: ['apps restart web', 'apps restart web --yes', 'apps restart web --from-git v1.2.0'],
});
