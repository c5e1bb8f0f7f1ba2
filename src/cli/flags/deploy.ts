import type { Command as Commander, Option, OptionValues } from '@commander-js/extra-typings';
import { Command as DeclaringCommand } from 'commander';
import { busyPolicies } from '../../deploys/send/index.ts';
import { CommandLine } from '../../kernel/command-line.ts';
import { words } from '../../kernel/words.ts';
import { addFlagRules, type FlagRules, type FlagsOf } from '../command.ts';
import { withConfigFile } from './app.ts';
import { dollarFlag, durationFlag, outputFlag, positiveDurationFlag, repeatableFlag, typedFlags } from './values.ts';

export function deployFlags(command: Commander) {
  const flagged = withConfigFile(command)
    .argument('[folders...]', 'apps of one repository, such as apps/*')
    .optionsGroup('what is sent')
    .option('--preview [name]', 'deploy the branch as its own app, or under this name')
    .option('--ttl <duration>', 'how long it is needed', positiveDurationFlag)
    .option('--name <name>', 'override the app name of the config file')
    .option('--new', 'create an app of another name than this folder has deployed')
    .option('--use-gitignore', 'skip files that git ignores')
    .option('--keep-scaling', 'keep the deployed replicas, cooldown and concurrency')
    .option('--repack', 'compress every file again, without the packing cache')
    .option('--disable-build-logs', 'ask the platform not to keep a build log')
    .addOption(command.createOption('--log-level <level>', 'app log level').choices(['INFO', 'DEBUG'] as const))
    .option('--dry-run', 'show what would be sent and changed')
    .option('--files', 'list all files and why they are sent')
    .option('-o, --output <file>', 'write the archive (-: to stdout)', outputFlag('archive'))
    .option('--save-plan <file>', 'write it for --apply-plan')
    .option('--detailed-exit-code', 'exit with 3 if anything would change')
    .option('--install', 'on an emulator: install the pip packages of the app')
    .optionsGroup('when')
    .option('--if-changed', 'only if settings or files differ from the live build')
    .addOption(
      command
        .createOption('--if-busy <action>', 'if builds of the app are in progress')
        .choices(busyPolicies)
        .default('proceed' as const),
    )
    .option('--older', 'also if what serves is of a newer commit')
    .option('--fail-on-drift', 'only if no setting was changed elsewhere')
    .option('--max-hourly <dollars>', 'only if all replicas cost at most this in an hour', dollarFlag)
    .option('--apply-plan <file>', 'apply a plan of --save-plan, unless something changed')
    .optionsGroup('afterwards')
    .option('--smoke <test>', 'call /path or f={"x":1} and expect :text (repeatable)', repeatableFlag)
    .option('--watch [duration]', 'watch replicas and calls of the build (default: 2m)', positiveDurationFlag)
    .option('--or-rollback', 'go back if the build is sick')
    .option('--detach', 'return after the upload; the build continues')
    .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
    .option('--events', 'print progress as JSON lines');
  const ofDeploy = ['dryRun'] as const;
  const ofWatch = ['dryRun', 'detach'] as const;
  return addFlagRules(flagged, {
    requires: {
      ttl: ['preview'],
      files: ['dryRun'],
      output: ['dryRun'],
      savePlan: ['dryRun'],
      detailedExitCode: ['dryRun'],
      orRollback: ['watch', 'smoke'],
    },
    excludes: {
      ifBusy: ofDeploy,
      applyPlan: ofDeploy,
      detach: ofDeploy,
      smoke: ofWatch,
      watch: ofWatch,
    },
    seldom: [
      ...words('ttl new useGitignore keepScaling repack disableBuildLogs logLevel output'),
      ...words('savePlan detailedExitCode older failOnDrift maxHourly applyPlan'),
      'events' as const,
    ],
  });
}

/** The deploy that was typed, with other values. Folders come first: some flags take the next word for their value. */
export function deployAgain(options: OptionValues, changed: OptionValues = {}, folders: string[] = []): CommandLine {
  const { options: flags } = deployFlags(new DeclaringCommand() as Commander);
  const again = typedFlags(flags.filter(isRepeated), { ...options, ...changed });
  return new CommandLine(['gantry', 'deploy', ...folders.map((folder) => folder.replace(/^-/, './-')), ...again]);
}

/** The flags of the deploy of one app among several: its plan has a place of its own. */
export function flagsOfOne(options: OptionValues, changed: OptionValues): string[] {
  const { options: flags } = deployFlags(new DeclaringCommand() as Commander);
  const isKept = (flag: Option & Partial<FlagRules> & { conflictsWith?: string[] }) =>
    !options.dryRun || !(flag.conflictsWith?.includes('dryRun') || flag.requires?.includes('watch'));
  return typedFlags(flags.filter(isKept), { ...options, ...changed });
}

/** The dry run that makes the plan of `--apply-plan` anew, with the flags that decide what is sent. */
export function planAgain(options: OptionValues, folders: string[] = []): CommandLine {
  const flags = flagsOfOne({ ...options, dryRun: true }, { savePlan: options.applyPlan });
  return new CommandLine(['gantry', 'deploy', ...folders, ...flags]);
}

/** What was typed, but for the folders. */
export type DeployFlags = FlagsOf<typeof deployFlags>;

/** Not those of a dry run, and no plan: it holds once. */
function isRepeated(flag: Option & Partial<FlagRules>): boolean {
  return !flag.requires?.includes('dryRun') && !['dryRun', 'applyPlan'].includes(flag.attributeName());
}
