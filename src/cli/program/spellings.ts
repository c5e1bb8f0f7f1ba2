import { looksLikeRegion } from '../../platform/config/setting-values.ts';

/**
 * What users of the official client type, in gantry's words. docs/switching.md lists all of it.
 */

/** Commands whose arguments stay as they are. The longest name that matches counts; names are replaced until none does. */
export const commandSpellings: Record<string, string> = {
  'secrets ls': 'secrets list',
  'secrets delete': 'secrets unset',
  'secrets remove': 'secrets unset',
  app: 'apps',
  project: 'projects',
  'projects set': 'projects use',
  'projects get': 'whoami',
  'projects current': 'whoami',
  'region get': 'config get region',
  'region set': 'config set region',
  'config get default-region': 'config get region',
  'config set default-region': 'config set region',
  list: 'apps list',
  get: 'apps get',
  scale: 'apps scale',
  delete: 'apps delete',
  containers: 'apps containers',
  'containers list': 'apps containers',
  'metrics resources': 'metrics',
  'metrics startup': 'metrics --startup',
  docs: 'open docs',
  skill: 'help agents',
};

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
  { names: ['--no-follow'], of: ['logs'], here: [] },
  { names: ['--container-id'], of: ['logs', 'metrics'], here: (part) => ['--container', part] },
  { names: ['--since'], of: ['logs'], here: (time, name) => [name, translateTime(time)] },
  { names: ['--start'], of: ['metrics'], here: (time) => ['--since', time] },
  { names: ['--end'], of: ['metrics'], here: (time) => ['--until', time] },
  {
    names: ['-r'],
    of: ['ls', 'cp', 'run', 'download', 'upload'],
    here: (region) => (looksLikeRegion(region) ? ['--region', region] : undefined),
  },
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

/** Flags of single commands. The official client takes them before the command, too. */
export const commandFlags = [
  ...flagSpellings.flatMap(({ of, names }) => (of ? names : [])),
  ...['--name', '--detach', '--disable-build-logs', '--data', '--app', '--async', '--show-values'],
  ...['--min-replicas', '--max-replicas', '--dir'],
];

/** `2026-11-20 10:00:00` is a local time, `1w` is a week ago. */
function translateTime(text: string): string {
  const weeks = /^(\d+)w$/.exec(text)?.[1];
  return weeks ? `${7 * Number(weeks)}d` : text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d)/, '$1T$2');
}
