import { posix } from 'node:path';
import { gantryCommand } from '../command-line.ts';
import { looksLikeRegion } from '../config/region-name.ts';
import { type ErrorFacts, UsageError } from '../errors.ts';

/** A command line of the platform's official client, in gantry's words. */
export interface Translation {
  argv: string[];
  /** What the command reads in place of stdin: secrets that were arguments. */
  input?: string;
  /** Variables for this command only. */
  env?: Record<string, string>;
  /** Secrets that were arguments. */
  secrets: string[];
  warning?: string;
}

/**
 * Translates a command line that gantry could not parse. Returns undefined if the official client spells nothing in it
 * otherwise. Throws UsageError, with what to type, if gantry has nothing that means the same.
 */
export function translateOfficialClient(argv: readonly string[]): Translation | undefined {
  const { own, rest } = splitArguments(argv);
  const line: Translation = { argv: renameCommands(own), secrets: [] };
  refuse(line.argv);
  takeToken(line);
  line.argv = line.argv.flatMap(flagTranslator(commandOf(line.argv)));
  rewriteOperands(line);
  line.argv.push(...rest);
  return line.argv.join('\n') === argv.join('\n') ? undefined : line;
}

/** Groups with `list`. Other clients call it `ls`. */
const listed = [
  ...['apps', 'builds', 'runs', 'containers', 'secrets', 'projects', 'users'],
  ...['service-accounts', 'api-keys', 'profiles', 'config'],
];

/** Commands whose arguments stay as they are. The longest name that matches counts; names are replaced until none does. */
export const commandSpellings: Record<string, string> = {
  ...Object.fromEntries(listed.map((group) => [`${group} ls`, `${group} list`])),
  'apps show': 'apps get',
  'builds show': 'builds get',
  'runs show': 'runs get',
  'apps rm': 'apps delete',
  'secrets rm': 'secrets unset',
  'secrets delete': 'secrets unset',
  'profiles rm': 'profiles remove',
  app: 'apps',
  project: 'projects',
  'projects set': 'projects use',
  'region get': 'config get region',
  'region set': 'config set region',
  'config get default-region': 'config get region',
  'config set default-region': 'config set region',
  list: 'apps list',
  delete: 'apps delete',
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
  { names: ['--disable-syntax-check'], of: ['deploy'], here: [] },
  { names: ['--no-follow'], of: ['logs'], here: [] },
  { names: ['--container-id'], of: ['logs'], here: (part) => ['--container', part] },
  { names: ['--since'], of: ['logs'], here: (time, name) => [name, translateTime(time)] },
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

/** Commands that gantry lacks on purpose. */
export const refusals: Record<string, { message: string } & Pick<ErrorFacts, 'why' | 'fix'>> = {
  'config edit': {
    message: 'gantry does not open its settings in an editor',
    why: 'config set checks each value before it is stored',
    fix: 'gantry config set NAME VALUE; gantry config list shows the names',
  },
  'config telemetry': { message: 'gantry has no telemetry', why: 'there is nothing to turn on or off' },
  'config set telemetry': { message: 'gantry has no telemetry', why: 'there is nothing to turn on or off' },
  'config set log-level': { message: 'gantry has no log level', fix: 'pass --debug to a command to see its requests' },
  'config set skip-version-check': { message: 'gantry has no setting for update checks' },
  region: { message: 'the region is a setting', fix: gantryCommand`config get region` },
};

/** Flags with a value: the word after them is not an argument. */
const valueFlags = new Set([
  ...['-o', '--output', '-r', '--region', '-p', '--project', '--profile', '-C', '--cwd', '--color'],
  ...[
    '--service-account-token',
    '--project-id',
    '--name',
    '--config-file',
    '--log-level',
    '--data',
    '--since',
    '--app',
  ],
  ...['--container-id', '--cooldown', '--min-replicas', '--max-replicas', '--response-grace-period', '--dir'],
]);

/** What follows `--`, or the file of `run`, belongs to another program. */
function splitArguments(argv: readonly string[]): { own: string[]; rest: string[] } {
  const [command] = positionals(argv);
  const file = argv[command ?? -1] === 'run' ? argv.findIndex((word) => /\.py(::|$)/.test(word)) : -1;
  const end = [argv.indexOf('--'), file].filter((at) => at >= 0).sort((a, b) => a - b)[0] ?? argv.length;
  return { own: argv.slice(0, end), rest: argv.slice(end) };
}

/** The places of the words that are neither flags nor their values. */
function positionals(words: readonly string[]): number[] {
  return words.flatMap((word, at) => (word.startsWith('-') || valueFlags.has(words[at - 1] ?? '') ? [] : [at]));
}

function renameCommands(words: string[]): string[] {
  const found = findName(words, commandSpellings);
  if (!found) return words;
  const [first = 0] = found.places;
  const others = words.filter((_, at) => at > first && !found.places.includes(at));
  // Again, because `project set` is `projects set` now.
  return renameCommands([...words.slice(0, first), ...found.entry.split(' '), ...others]);
}

/** The longest name of a command that the words begin with, and that is in the table. */
function findName<Entry>(
  words: string[],
  table: Record<string, Entry>,
): { places: number[]; entry: Entry } | undefined {
  for (const length of [3, 2, 1]) {
    const places = positionals(words).slice(0, length);
    const entry = table[places.map((at) => words[at]).join(' ')];
    if (entry !== undefined && places.length === length) return { places, entry };
  }
  return undefined;
}

/** The command with its group: `apps scale`. */
function commandOf(words: readonly string[]): string[] {
  const [first, second] = positionals(words).map((at) => words[at] ?? '');
  return first === undefined ? [] : [first, `${first} ${second ?? ''}`];
}

function refuse(words: string[]): void {
  const found = findName(words, refusals);
  if (!found) return;
  const { message, ...facts } = found.entry;
  throw new UsageError(message, facts);
}

/** Returns what a word becomes; it is called with each word in turn. */
function flagTranslator(commands: readonly string[]): (word: string, at: number, words: string[]) => readonly string[] {
  const known = flagSpellings.filter(({ of }) => !of || of.some((command) => commands.includes(command)));
  let isValue = false;
  return (word, at, words) => {
    if (isValue) {
      isValue = false;
      return [];
    }
    const [name, attached] = splitFlag(word);
    const spelling = known.find(({ names }) => names.includes(name));
    if (!spelling) return [word];
    const { here } = spelling;
    if (typeof here !== 'function') return attached === 'false' ? [] : here;
    const value = attached ?? words[at + 1];
    const translated = value === undefined ? undefined : here(value, name);
    isValue = translated !== undefined && attached === undefined;
    return translated ?? [word];
  };
}

/** `--output=json`, `-o=json` and `-ojson` have their value attached. */
function splitFlag(word: string): [name: string, value: string | undefined] {
  const [, name = word, value] = /^(--[\w-]+)=(.*)$|^/s.exec(word) ?? [];
  if (value !== undefined || !/^-[or]./.test(word)) return [name, value];
  return [word.slice(0, 2), word.slice(2).replace(/^=/, '')];
}

/** `2026-11-20 10:00:00` is a local time, `1w` is a week ago. */
function translateTime(text: string): string {
  const weeks = /^(\d+)w$/.exec(text)?.[1];
  return weeks ? `${7 * Number(weeks)}d` : text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d)/, '$1T$2');
}

function takeToken(line: Translation): void {
  const token = takeFlag(line.argv, '--service-account-token');
  if (token === undefined) return;
  // Not GANTRY_TOKEN: the official client's addresses are for its own token.
  line.env = { GANTRY_TOKEN: '', CEREBRIUM_SERVICE_ACCOUNT_TOKEN: token };
  line.secrets.push(token);
  line.warning = exposed('the token', 'set GANTRY_TOKEN instead');
}

/** Removes a flag and its value, and returns the value. */
function takeFlag(words: string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  const [word = '', next] = words.slice(at, at + 2);
  const attached = word === flag ? undefined : word.slice(flag.length + 1);
  words.splice(at, attached === undefined ? 2 : 1);
  return attached ?? next;
}

/** Commands that take their arguments in another form. */
function rewriteOperands(line: Translation): void {
  const [first = -1, ...others] = positionals(line.argv);
  const rewrite = operandRewrites[line.argv[first] ?? ''];
  if (!rewrite) return;
  const isOther = (_: string, at: number) => at !== first && !others.includes(at);
  const flags = line.argv.filter(isOther);
  const words = rewrite(
    others.map((at) => line.argv[at] ?? ''),
    line,
    flags,
  );
  if (words) line.argv = [...words, ...flags];
}

type OperandRewrite = (given: string[], line: Translation, flags: string[]) => string[] | undefined;

const operandRewrites: Record<string, OperandRewrite> = {
  // Without a local path the official client creates what is copied in the current folder, under its own name.
  download: ([remote, local]) =>
    remote ? ['cp', onVolume(remote), local ?? (posix.basename(remote) || '.')] : undefined,
  upload: ([local, remote = '/']) => (local ? ['cp', local, onVolume(remote)] : undefined),
  init: ([name], _, flags) => {
    const folder = takeFlag(flags, '--dir');
    return folder && name ? ['init', posix.join(folder, name)] : undefined;
  },
  secrets: ([verb, ...pairs], line) => (verb === 'add' && pairs.length > 0 ? importSecrets(pairs, line) : undefined),
  'save-auth-config': ([token, refreshToken, project], line, flags) =>
    token
      ? importTokens({ token, refreshToken, project: takeFlag(flags, '--project-id') ?? project }, line)
      : undefined,
};

function onVolume(path: string): string {
  return path.includes(':') ? path : `:${posix.join('/', path)}`;
}

/** The values were exposed by being arguments; from here on they travel as text on stdin. */
function importSecrets(pairs: string[], line: Translation): string[] | undefined {
  const entries = pairs.map((pair): [string, string] => [
    pair.split('=', 1)[0] ?? '',
    pair.slice(pair.indexOf('=') + 1),
  ]);
  if (pairs.some((pair) => pair.indexOf('=') < 1)) return undefined;
  line.input = JSON.stringify(Object.fromEntries(entries));
  line.secrets.push(...entries.map(([, value]) => value));
  line.warning = exposed(
    'the value',
    `use gantry secrets set ${entries.map(([name]) => name).join(' ')}, which asks for it`,
  );
  return ['secrets', 'import', '-'];
}

interface Tokens {
  token: string;
  refreshToken: string | undefined;
  project: string | undefined;
}

/** Written as the official client stores them, which `login --import` reads. */
function importTokens({ token, refreshToken, project }: Tokens, line: Translation): string[] {
  const key = refreshToken ? 'accesstoken' : 'serviceaccounttoken';
  line.input = JSON.stringify({ [key]: token, refreshtoken: refreshToken, project });
  line.secrets.push(token, ...(refreshToken ? [refreshToken] : []));
  line.warning = exposed('the token', 'set GANTRY_TOKEN, or use gantry login --token < FILE');
  return ['login', '--import', '-'];
}

function exposed(what: string, instead: string): string {
  return `${what} on the command line is visible in the shell history and to other processes: ${instead}`;
}
