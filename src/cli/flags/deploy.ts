import type { Command as Commander, Option, OptionValues } from '@commander-js/extra-typings';
import { Command as DeclaringCommand } from 'commander';
import { busyPolicies } from '../../deploys/send/index.ts';
import { CommandLine } from '../../kernel/command-line.ts';
import type { FlagRules } from '../command.ts';
import { withConfigFile } from './app.ts';
import { typedFlags } from './typed-flags.ts';
import { dollarFlag, durationFlag, positiveDurationFlag, repeatableFlag, requiring, seldom } from './values.ts';

/** The arguments and flags of `gantry deploy`. */
export function deployFlags(command: Commander) {
  return withConfigFile(command)
    .argument('[folders...]', 'apps of one repository, such as apps/*')
    .optionsGroup('what is sent')
    .option('--preview [name]', 'deploy the branch as its own app, or under this name')
    .addOption(
      seldom(
        requiring(
          command.createOption('--ttl <duration>', 'how long it is needed').argParser(positiveDurationFlag),
          'preview',
        ),
      ),
    )
    .option('--name <name>', 'override the app name of the config file')
    .addOption(seldom(command.createOption('--new', 'create an app of another name than this folder has deployed')))
    .addOption(seldom(command.createOption('--use-gitignore', 'skip files that git ignores')))
    .addOption(seldom(command.createOption('--keep-scaling', 'keep the deployed replicas, cooldown and concurrency')))
    .addOption(seldom(command.createOption('--repack', 'compress every file again, without the packing cache')))
    .addOption(seldom(command.createOption('--disable-build-logs', 'ask the platform not to keep a build log')))
    .addOption(seldom(command.createOption('--log-level <level>', 'app log level').choices(['INFO', 'DEBUG'] as const)))
    .option('--dry-run', 'show what would be sent and changed')
    .addOption(requiring(command.createOption('--files', 'list all files and why they are sent'), 'dryRun'))
    .addOption(
      seldom(requiring(command.createOption('-o, --output <file>', 'write the archive (-: to stdout)'), 'dryRun')),
    )
    .addOption(seldom(requiring(command.createOption('--save-plan <file>', 'write it for --apply-plan'), 'dryRun')))
    .addOption(
      seldom(requiring(command.createOption('--detailed-exit-code', 'exit with 3 if anything would change'), 'dryRun')),
    )
    .addOption(
      command.createOption('--install', 'on an emulator: install the pip packages of the app').conflicts('dryRun'),
    )
    .optionsGroup('when')
    .addOption(
      command.createOption('--if-changed', 'only if settings or files differ from the live build').conflicts('dryRun'),
    )
    .addOption(
      command
        .createOption('--if-busy <action>', 'if builds of the app are in progress')
        .choices(busyPolicies)
        .default('proceed' as const)
        .conflicts('dryRun'),
    )
    .addOption(seldom(command.createOption('--older', 'also if what serves is of a newer commit')))
    .addOption(seldom(command.createOption('--fail-on-drift', 'only if no setting was changed elsewhere')))
    .addOption(
      seldom(
        command
          .createOption('--max-hourly <dollars>', 'only if all replicas cost at most this in an hour')
          .argParser(dollarFlag),
      ),
    )
    .addOption(
      seldom(
        command
          .createOption('--apply-plan <file>', 'apply a plan of --save-plan, unless something changed')
          .conflicts('dryRun'),
      ),
    )
    .optionsGroup('afterwards')
    .addOption(
      command
        .createOption('--smoke <test>', 'call /path or f={"x":1} and expect :text (repeatable)')
        .argParser(repeatableFlag)
        .conflicts(['dryRun', 'detach']),
    )
    .addOption(
      command
        .createOption('--watch [duration]', 'watch replicas and calls of the build (default: 2m)')
        .argParser(positiveDurationFlag)
        .conflicts(['dryRun', 'detach']),
    )
    .addOption(requiring(command.createOption('--or-rollback', 'go back if the build is sick'), 'watch', 'smoke'))
    .addOption(command.createOption('--detach', 'return after the upload; the build continues').conflicts('dryRun'))
    .addOption(
      seldom(
        command
          .createOption('--notify-command <line>', 'run it at the end, with the JSON on its stdin')
          .conflicts('dryRun'),
      ),
    )
    .option('--timeout <duration>', 'stop waiting after this long (default: 1h)', durationFlag)
    .addOption(seldom(command.createOption('--events', 'print progress as JSON lines')));
}

/**
 * The deploy that was typed, with other values of some flags: from how it was parsed, so that no flag is forgotten. Folders
 * come first: some flags take the next word for their value.
 */
export function deployAgain(options: OptionValues, changed: OptionValues = {}, folders: string[] = []): CommandLine {
  const { options: flags } = deployFlags(new DeclaringCommand() as Commander);
  const again = typedFlags(flags.filter(isRepeated), { ...options, ...changed });
  return new CommandLine(['gantry', 'deploy', ...folders.map((folder) => folder.replace(/^-/, './-')), ...again]);
}

/** The flags of the deploy of one app among several: its plan has a place of its own, and the end is told once. */
export function flagsOfOne(options: OptionValues, changed: OptionValues): string[] {
  const { options: flags } = deployFlags(new DeclaringCommand() as Commander);
  const isKept = (flag: Option & Partial<FlagRules> & { conflictsWith?: string[] }) =>
    !options.dryRun || !(flag.conflictsWith?.includes('dryRun') || flag.requires?.includes('watch'));
  return typedFlags(flags.filter(isKept), { ...options, ...changed, notifyCommand: undefined });
}

/** The dry run that makes the plan of `--apply-plan` anew, with the flags that decide what is sent. */
export function planAgain(options: OptionValues): CommandLine {
  const flags = flagsOfOne({ ...options, dryRun: true }, { savePlan: options.applyPlan });
  return new CommandLine(['gantry', 'deploy', ...flags]);
}

/** What was typed, but for the folders. */
export type DeployFlags = ReturnType<ReturnType<typeof deployFlags>['opts']>;

/** Not those of a dry run, and no plan: it holds once. */
function isRepeated(flag: Option & Partial<FlagRules>): boolean {
  return !flag.requires?.includes('dryRun') && !['dryRun', 'applyPlan'].includes(flag.attributeName());
}
