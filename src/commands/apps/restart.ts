import { defineCommand } from '../../command.ts';
import { platformExits } from '../../errors.ts';
import { appArgument } from '../../flags/app.ts';
import { durationFlag } from '../../flags/values.ts';
import { returnToBuild } from '../../operations/rollback/index.ts';
import { document } from '../../result-schema.ts';
import { deployedAgainFields, deployedAgainView } from '../../views/deployed-again.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .option('--from-git <revision>', 'deploy this revision, if it has the same files')
      .option('--force', 'deploy even if the files differ')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag),
  run: (context, app, { fromGit, configFile, force = false, timeout: typedMs }) =>
    returnToBuild(context, app, { fromGit, configFile, force, logs: !context.progress.isQuiet, typedMs, again: {} }),
  view: deployedAgainView,
  effect: 'changes',
  dryRun: true,
  exits: [...platformExits, 'pending', 'project', 'build-failed', 'not-ready'],
  json: document(deployedAgainFields),
  details: [
    'Deploys the files that serve once more, with the settings and the scaling of now, and waits until no replica of before is left. Each replica has the secrets of now then.',
  ],
  examples: ['apps restart web', 'apps restart web --yes', 'apps restart web --from-git v1.2.0'],
});
