import { rollback } from '../../deploys/rollback/index.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { durationFlag } from '../flags/values.ts';
import { deployedAgain } from '../views/deployed-again.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .argument('[build]', 'build id (default: the one before the live one)')
      .option('--from-git <revision>', 'deploy this revision, if it has the same files')
      .option('--restore-scaling', 'scale as that build was deployed')
      .option('--force', 'deploy even if the files differ')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag),
  run: (context, app, build, { fromGit, configFile, force = false, restoreScaling, timeout: typedMs }) => {
    const logs = !context.progress.isQuiet;
    return rollback(context, app, { build, fromGit, configFile, force, logs, restoreScaling, typedMs });
  },
  ...deployedAgain,
  details: [
    'Checksums have to prove that the files are the same. Secrets stay as they are. This machine keeps the archives of its deploys.',
  ],
  examples: ['rollback web --yes', 'rollback web b-1234 --dry-run', 'rollback web b-1234 --from-git v1.2.0'],
});
