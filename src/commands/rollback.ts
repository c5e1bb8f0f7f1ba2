import { defineCommand } from '../command.ts';
import { platformExits } from '../errors.ts';
import { appArgument } from '../flags/app.ts';
import { durationFlag } from '../flags/values.ts';
import { choices, proofs, rollback } from '../operations/rollback/index.ts';
import { shortBuild } from '../output/format.ts';
import {
  anything,
  boolean,
  choice,
  document,
  integer,
  list,
  nullable,
  object,
  optional,
  text,
} from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .argument('[build]', 'build id (default: the one before the live one)')
      .option('--from-git <revision>', 'deploy this revision, if it has the same files')
      .option('--restore-scaling', 'scale as that build was deployed, not as the app is scaled now')
      .option('--force', 'deploy even if the files differ')
      .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag),
  run: (context, app, build, { fromGit, configFile, force = false, restoreScaling, timeout: typedMs }) => {
    const logs = !context.progress.isQuiet;
    return rollback(context, app, { build, fromGit, configFile, force, logs, restoreScaling, typedMs });
  },
  view:
    ({ app, build, restored, endpoint, changed }) =>
    () =>
      changed
        ? endpoint || `${app} serves build ${shortBuild(build ?? '')}`
        : `nothing to change: build ${shortBuild(build ?? restored)} serves`,
  effect: 'changes',
  dryRun: true,
  exits: [...platformExits, 'pending', 'project', 'build-failed', 'not-ready'],
  json: document({
    app: text('app name'),
    project: text('project'),
    replaced: nullable(text('build that served before')),
    restored: text('earlier build'),
    chosenBy: choice(choices, 'its name, what is on record, or only the order of builds: it may never have been well'),
    build: nullable(text('new build, made of the files of the earlier one; null if the earlier one serves itself')),
    status: text('final status of the build'),
    endpoint: text('URL of the app'),
    dashboard: text('URL of the app in the dashboard'),
    source: nullable(choice(['archive', 'git'], 'what was deployed')),
    commit: nullable(text('with --from-git: commit')),
    files: integer('number of files'),
    settings: list(
      object({ setting: text('name'), from: anything('deployed value'), to: anything('value of the earlier build') }),
      'settings that change with it',
    ),
    resolvedAnew: list(
      object({
        kind: choice(['pip', 'conda', 'apt', 'image'], 'what it is'),
        requirement: text('as it is required'),
      }),
      'packages without an exact version and images without a digest, which may be others than in the earlier build',
    ),
    proof: nullable(
      choice(
        proofs,
        "what shows that its files are the same: the record of what was sent, or the platform's list; null: nothing",
      ),
    ),
    serves: optional(text('a build created later that has replaced this one meanwhile')),
    changed: boolean('false if the build serves already'),
  }),
  details: [
    'Deploys the archive of an earlier build again, with the settings that it was deployed with, once it is proven to have its files: by the SHA-256 of what was sent, or by the checksums that the platform lists. Secrets are not part of a build and stay as they are. The archives of deploys from this machine are kept (gantry cache list archives).',
  ],
  examples: [
    'rollback web',
    'rollback web b-1234 --dry-run',
    'rollback web b-1234 --from-git v1.2.0',
    'rollback web --yes',
  ],
});
