import { gantryCommand } from '../../kernel/command-line.ts';
import type { ErrorFacts } from '../../kernel/errors.ts';

type Refusal = { message: string } & Pick<ErrorFacts, 'why' | 'fix'>;

const noTelemetry: Refusal = { message: 'gantry has no telemetry', why: 'there is nothing to turn on or off' };
const noLogLevel: Refusal = {
  message: 'gantry has no log level',
  fix: 'pass --debug to a command to see its requests',
};
const noUpdateCheck: Refusal = { message: 'gantry has no setting for update checks' };
const noUpgrade: Refusal = {
  message: 'gantry does not replace itself',
  why: 'what installed it updates it; gantry doctor prints the command',
  fix: gantryCommand`doctor`,
};
const inDashboard = (name: string): [string, Refusal] => [
  name,
  { message: `${name}: only in the dashboard`, why: 'the platform has no endpoint for it', fix: gantryCommand`open` },
];
const older = (name: string, fix: NonNullable<Refusal['fix']>): Record<string, Refusal> => ({
  [name]: { message: `${name} is a command of old clients`, fix },
});

/** Commands that gantry lacks on purpose, and commands of clients that are long gone. */
export const refusals: Record<string, Refusal> = {
  'config edit': {
    message: 'gantry does not open its settings in an editor',
    why: 'config set checks each value before it is stored',
    fix: 'gantry config set NAME VALUE; gantry config list shows the names',
  },
  'config telemetry': noTelemetry,
  'config set telemetry': noTelemetry,
  'config get telemetry': noTelemetry,
  'config set log-level': noLogLevel,
  'config get log-level': noLogLevel,
  'config set skip-version-check': noUpdateCheck,
  'config get skip-version-check': noUpdateCheck,
  region: { message: 'the region is a setting', fix: gantryCommand`config get region` },
  'secrets get': { message: 'secrets are shown in a list', fix: gantryCommand`secrets list --show-values` },
  upgrade: noUpgrade,
  update: noUpgrade,
  ...Object.fromEntries(['service-accounts create', 'service-accounts delete', 'api-keys create'].map(inDashboard)),
  ...Object.fromEntries(['api-keys rotate', 'api-keys delete', 'tokens create', 'users remove'].map(inDashboard)),
  ...older('init-cortex', 'gantry init NAME'),
  ...older('build', gantryCommand`deploy`),
  ...older('serve', gantryCommand`dev`),
  ...older('get-apps', gantryCommand`apps list`),
  ...older('get-url', 'gantry apps get APP'),
  ...older('delete-model', 'gantry apps delete APP'),
  ...older('model-scaling', 'gantry apps scale APP'),
};

interface FlagRefusal extends Refusal {
  names: readonly string[];
  of?: readonly string[];
  /** Commands that have such a flag. */
  except?: readonly string[];
  /** Refused only if this holds for the next word. */
  when?: (next: string | undefined) => boolean;
}

/** Flags of official and old clients, and of habit, for which gantry has no word. */
export const flagRefusals: readonly FlagRefusal[] = [
  {
    names: ['--output', '-o'],
    of: ['apps', 'builds', 'runs', 'containers', 'projects', 'secrets', 'metrics', 'ls', 'status'],
    except: ['runs export'],
    message: 'results are tables or JSON',
    fix: 'pass --json, or --jq EXPRESSION for a part of it',
  },
  {
    names: ['-r', '-R', '--recursive', '-a', '-av', '-avz', '-m'],
    of: ['cp', 'sync', 'download', 'upload'],
    message: 'folders are copied with their contents, and many files at a time',
    fix: 'leave the flag out: gantry cp FOLDER :/FOLDER',
  },
  {
    names: ['-f', '--force', '-rf', '-fr'],
    of: ['rm'],
    message: 'rm cannot be forced: it asks before it removes something',
    fix: 'gantry rm PATH --yes for a file, gantry rm -r PATH --confirm PATH for a folder',
  },
  {
    names: ['--tail'],
    of: ['logs'],
    when: (next) => next === undefined || /^-(?!\d)/.test(next),
    message: '--tail requires a number of lines',
    fix: 'pass -f to follow the log, or --tail 100 for its last lines',
  },
  {
    names: ['--force', '--force-rebuild'],
    of: ['deploy'],
    message: 'every deploy creates a build: there is nothing to force',
    fix: gantryCommand`deploy`,
  },
  {
    names: ['--partial'],
    of: ['deploy'],
    message: 'deploy sends all files',
    why: 'the platform does not document deploys of some of the files',
    fix: gantryCommand`deploy`,
  },
  {
    names: [
      ...['--hardware', '--compute', '--gpu', '--gpu-count', '--cpu', '--memory', '--min-replicas', '--max-replicas'],
      ...['--cooldown', '--python-version', '--include', '--exclude'],
    ],
    of: ['deploy'],
    message: 'settings of an app are in cerebrium.toml, not in flags',
    fix: 'set it in cerebrium.toml; gantry deploy --dry-run shows what would change',
  },
  {
    names: ['--token'],
    of: ['deploy', 'apps', 'logs', 'secrets', 'whoami', 'status'],
    message: 'a token is not passed as an argument',
    why: 'arguments are visible in the shell history and to other processes',
    fix: 'set GANTRY_TOKEN to the token of a service account',
  },
  {
    names: ['--api-key'],
    message: 'a token is not passed as an argument',
    why: 'arguments are visible in the shell history and to other processes',
    fix: 'set GANTRY_TOKEN to the token of a service account',
  },
];
