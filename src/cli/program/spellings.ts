import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import type { ErrorFacts } from '../../kernel/errors.ts';
import { words } from '../../kernel/words.ts';
import { looksLikeRegion } from '../../platform/config/setting-values.ts';
import { groupsWith } from './command-tree.ts';

/** What users of the official client type, in gantry's words. docs/switching.md lists all of it. */

/** Commands whose arguments stay as they are. The longest name that matches counts; names are replaced until none does. */
export const commandSpellings: Record<string, string> = {
  ...Object.fromEntries(groupsWith('list').map((of) => [`${of} ls`, `${of} list`])),
  'config show': 'config list',
  'emulator status': 'emulator list',
  'secrets delete': 'secrets unset',
  'secrets remove': 'secrets unset',
  profile: 'config profiles',
  'config profiles delete': 'config profiles remove',
  app: 'apps',
  project: 'projects',
  'projects set': 'projects use',
  'projects get': 'whoami',
  'projects current': 'whoami',
  'region get': 'config get region',
  'region set': 'config set region',
  'config get default-region': 'config get region',
  'config set default-region': 'config set region',
  call: 'invoke',
  list: 'apps list',
  get: 'apps get',
  scale: 'apps scale',
  delete: 'apps delete',
  undeploy: 'apps delete',
  ps: 'apps containers',
  containers: 'apps containers',
  'containers list': 'apps containers',
  replicas: 'apps containers',
  'apps replicas': 'apps containers',
  'metrics resources': 'metrics',
  'metrics startup': 'metrics --startup',
  docs: 'open docs',
  up: 'deploy',
  push: 'deploy',
  serve: 'dev',
  top: 'metrics --live',
  tail: 'logs -f',
  ...Object.fromEntries(['describe', 'show'].map((word) => [`apps ${word}`, 'apps get'])),
  'runs stop': 'runs cancel',
  'deployments list': 'builds list',
  'volumes du': 'volumes usage',
  'volumes upload': 'upload',
  'volumes download': 'download',
  'builds log': 'builds logs',
  'runs log': 'runs logs',
  skill: 'help agents',
};

/** Commands whose first argument is an app. */
export const appCommands =
  /^((apps (?!list|prune)|builds |runs )[a-z]+|metrics serve|invoke|map|status|logs|explain|rollback|history|cost|metrics|open)$/;

/** Flags of habit whose value is an argument here: `before` is the number of arguments that stand before it. */
export const operandFlags: readonly { name: string; of: RegExp; before: number }[] = [
  { name: '--app', of: appCommands, before: 0 },
  { name: '--function', of: /^(invoke|map)$/, before: 1 },
  { name: '--build', of: /^(explain|rollback|builds (get|cancel))$/, before: 1 },
  { name: '--to', of: /^rollback$/, before: 1 },
  { name: '--run', of: /^(explain|runs (get|cancel))$/, before: 1 },
];

interface FlagSpelling {
  names: readonly string[];
  /** Commands that take it; all if absent. */
  of?: readonly string[];
  /** gantry's words for it, or, if it takes a value, what makes them. Undefined: the value means something else. */
  here: readonly string[] | ((value: string, name: string) => readonly string[] | undefined);
}

export const flagSpellings: readonly FlagSpelling[] = [
  { names: ['--no-color', '--no-ansi', '--disable-animation'], here: ['--color', 'never'] },
  { names: ['--verbose', '-v'], here: ['--debug'] },
  { names: ['--output', '-o'], here: (format) => ({ json: ['--json'], table: [] })[format] },
  { names: ['--disable-confirmation'], of: ['deploy'], here: ['--yes'] },
  { names: ['--disable-syntax-check', '--disable-predict'], of: ['deploy'], here: [] },
  { names: ['--log-level'], of: ['deploy'], here: (level, name) => [name, level.toUpperCase()] },
  { names: ['-d', '--body', '--json-body', '--payload'], of: ['invoke'], here: (json) => ['--data', json] },
  { names: ['--env-file'], of: ['secrets set'], here: (file) => ['--from-env-file', file] },
  { names: ['--parallel', '--workers'], of: ['map'], here: (number) => ['--concurrency', number] },
  { names: ['--wait'], of: ['deploy'], here: [] },
  { names: ['--no-wait', '--async'], of: ['deploy'], here: ['--detach'] },
  { names: ['--lines', '--limit'], of: ['logs'], here: (number) => ['--tail', number] },
  { names: ['--failed', '--errors'], of: ['logs'], here: ['--run', 'latest:failed'] },
  {
    names: ['--status'],
    of: ['logs'],
    here: (status) => (/^(fail|err)/.test(status) ? ['--run', 'latest:failed'] : undefined),
  },
  { names: ['--no-follow'], of: ['logs'], here: [] },
  { names: ['--last'], of: ['logs'], here: ['--run', 'latest'] },
  { names: ['--failed', '--errors'], of: ['runs list', 'runs chart'], here: ['--status', 'failed'] },
  { names: ['--slow', '--slowest'], of: ['runs list', 'runs chart'], here: ['--response', '1s..'] },
  {
    names: ['--status'],
    of: ['runs list', 'runs chart'],
    here: (status, name) => (/^errors?$/.test(status) ? [name, 'failed'] : undefined),
  },
  { names: ['--container-id'], of: ['logs', 'metrics'], here: (part) => ['--container', part] },
  { names: ['--since'], of: ['logs'], here: (time, name) => [name, translateTime(time)] },
  { names: ['--start'], of: ['metrics'], here: (time) => ['--since', time] },
  { names: ['--end'], of: ['metrics'], here: (time) => ['--until', time] },
  {
    names: ['-r'],
    of: ['cp', 'run', 'download', 'upload'],
    here: (region) => (looksLikeRegion(region) ? ['--region', region] : undefined),
  },
  { names: ['-r'], of: ['ls'], here: (word) => [looksLikeRegion(word) ? '--region' : '-R', word] },
  {
    names: ['--cooldown', '--response-grace-period'],
    of: ['apps scale'],
    here: (time, name) => [name, /^\d+$/.test(time) ? `${time}s` : time],
  },
];

/** What `--help` shows for commands that are other words with their arguments only. */
export const helpSpellings: Record<string, string> = {
  download: 'cp',
  upload: 'cp',
  'secrets add': 'secrets set',
  'save-auth-config': 'login',
};

/** Flags without a value that the official client also takes as `--yes=true` and `--yes=false`. */
export const switches = ['--yes', '-y', '--detach', '--disable-build-logs', '--async', '--show-values'];

/** `2026-11-20 10:00:00` is a local time, `1w` is a week ago. */
function translateTime(text: string): string {
  const weeks = /^(\d+)w$/.exec(text)?.[1];
  return weeks ? `${7 * Number(weeks)}d` : text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d)/, '$1T$2');
}

type Refusal = { message: string } & Pick<ErrorFacts, 'why' | 'fix'>;

const noTelemetry: Refusal = { message: 'gantry has no telemetry', why: 'there is nothing to turn on or off' };
const noLogLevel: Refusal = {
  message: 'gantry has no log level',
  fix: 'pass --debug to a command to see its requests',
};
const noShell: Refusal = {
  message: 'containers of apps have no shell',
  why: 'gantry run runs a file of this folder as the platform would',
  fix: gantryCommand`run --help`,
};
const noUpdateCheck: Refusal = { message: 'gantry has no setting for update checks' };
const noUpgrade: Refusal = {
  message: 'gantry does not replace itself',
  why: 'what installed it updates it; gantry doctor prints the command',
  fix: gantryCommand`doctor`,
};
const inDashboard = (name: string): [string, Refusal] => [
  name,
  {
    message: `${name}: only in the dashboard`,
    why: 'the platform has no endpoint for it',
    fix: gantryCommand`open project`,
  },
];

/** Commands that gantry lacks on purpose. */
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
  shell: noShell,
  exec: noShell,
  upgrade: noUpgrade,
  update: noUpgrade,
  ...Object.fromEntries(['service-accounts create', 'service-accounts delete', 'api-keys create'].map(inDashboard)),
  ...Object.fromEntries(['api-keys rotate', 'api-keys delete', 'tokens create', 'users remove'].map(inDashboard)),
};

interface FlagRefusal extends Refusal {
  names: readonly string[];
  of?: readonly string[];
  /** Commands that have such a flag. */
  except?: readonly string[];
  /** Refused only if this holds for the next word. */
  when?: (next: string | undefined) => boolean;
}

const tokenAsArgument = {
  message: 'a token is not passed as an argument',
  why: 'arguments are visible in the shell history and to other processes',
  fix: sentence`set GANTRY_TOKEN to the token of a service account, or store it: ${gantryCommand`login --token`} < FILE`,
};

/** Flags of the official client, and of habit, for which gantry has no word. */
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
    names: ['-f', '--force'],
    of: ['apps delete', 'apps prune'],
    message: 'what is deleted is named, not forced',
    fix: 'pass --confirm NAME; --dry-run shows what would be deleted',
  },
  {
    names: ['--file'],
    of: ['secrets set'],
    message: 'the file of one secret, or of all?',
    fix: '--from-file FILE: the value of one; --from-env-file FILE: lines NAME=value',
  },
  {
    names: ['--tail'],
    of: ['logs'],
    when: (next) => next === undefined,
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
    names: words(
      '--hardware --compute --gpu --gpu-count --cpu --memory --min-replicas --max-replicas',
      '--cooldown --python-version --include --exclude',
    ),
    of: ['deploy'],
    message: 'settings of an app are in cerebrium.toml, not in flags',
    fix: 'set it in cerebrium.toml; gantry deploy --dry-run shows what would change',
  },
  { names: ['--token'], except: ['login'], ...tokenAsArgument },
  { names: ['--api-key'], ...tokenAsArgument },
];
