import { posix } from 'node:path';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { words } from '../../kernel/words.ts';
import {
  commandFlags,
  commandSpellings,
  flagRefusals,
  flagSpellings,
  helpSpellings,
  operandFlags,
  refusals,
  switches,
} from './spellings.ts';
import { isPythonFile } from './typed-command.ts';

/** Undefined if the official client spells nothing otherwise. Throws UsageError if nothing means the same. */
export function translateSpellings(argv: readonly string[], hasExtraWord = false): Translation | undefined {
  const { own, rest } = splitArguments(argv);
  const isHelp = own.some((word) => word === '--help' || word === '-h');
  const names = isHelp ? { ...commandSpellings, ...helpSpellings } : commandSpellings;
  const line: Translation = { argv: renameCommands(withCommandFirst(own.flatMap(splitLetters)), names), secrets: [] };
  refuseCommand(line.argv);
  takeToken(line);
  line.argv = line.argv.flatMap(flagTranslator(commandOf(line.argv)));
  if (hasExtraWord) refuseExtraWord(positionals(line.argv).map((at) => line.argv[at] ?? ''));
  line.argv = withOperands(line.argv);
  rewriteOperands(line);
  for (const word of rest) line.argv.push(word);
  return line.argv.join('\n') === argv.join('\n') ? undefined : line;
}

/** What follows `--`, or the file of `run`, belongs to another program. */
function splitArguments(argv: readonly string[]): { own: string[]; rest: string[] } {
  const [command] = positionals(argv);
  const file = argv[command ?? -1] === 'run' ? argv.findIndex(isPythonFile) : -1;
  const end = [argv.indexOf('--'), file].filter((at) => at >= 0).sort((a, b) => a - b)[0] ?? argv.length;
  return { own: argv.slice(0, end), rest: argv.slice(end) };
}

/** `-yv` is `-y -v`. Letters that gantry knows itself need no help. */
function splitLetters(word: string): string[] {
  return /^-(?=.*v)[yqv]{2,}$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}

function withCommandFirst(words: string[]): string[] {
  const [first = 0] = positionals(words);
  const before = words.slice(0, first);
  return before.some((word) => commandFlags.includes(splitFlag(word)[0])) ? [...words.slice(first), ...before] : words;
}

function renameCommands(words: string[], names: Record<string, string>): string[] {
  const spelling = findName(words, names);
  if (!spelling) return words;
  const [first = 0] = spelling.places;
  const others = words.filter((_, at) => at > first && !spelling.places.includes(at));
  // Again, because `project set` is `projects set` now.
  return renameCommands([...words.slice(0, first), ...spelling.entry.split(' '), ...others], names);
}

/** Returns what a word becomes; it is called with each word in turn. */
function flagTranslator(commands: string[]): (word: string, at: number, words: string[]) => readonly string[] {
  const spellings = flagSpellings.filter(({ of }) => !of || of.some((command) => commands.includes(command)));
  let isValue = false;
  return (word, at, words) => {
    if (isValue) {
      isValue = false;
      return [];
    }
    const [name, attached] = splitFlag(word);
    const value = attached ?? words[at + 1];
    const { here } = spellings.find(({ names }) => names.includes(name)) ?? {};
    const translated = typeof here === 'function' && value !== undefined ? here(value, name) : undefined;
    isValue = translated !== undefined && attached === undefined;
    return translated ?? plainFlag(word, typeof here === 'function' ? undefined : here, value, commands);
  };
}

/** A flag that takes no value here: the spelling that replaces it, or itself. */
function plainFlag(word: string, here: readonly string[] | undefined, next: string | undefined, commands: string[]) {
  const [name, attached] = splitFlag(word);
  if (!here) refuseFlag(name, next, commands);
  if (!here && (attached === undefined || !switches.includes(name))) return [word];
  return attached === 'false' ? [] : (here ?? [name]);
}

function refuseCommand(words: string[]): void {
  const refusal = findName(words, refusals);
  if (!refusal) return;
  const { message, ...facts } = refusal.entry;
  throw new UsageError(message, facts);
}

/** Commands without arguments, which old clients gave some. */
function refuseExtraWord([command]: string[]): void {
  if (command !== 'login') return;
  throw new UsageError('a token is not passed as an argument', {
    why: 'arguments are visible in the shell history and to other processes: if it was a real token, revoke it',
    fix: sentence`${gantryCommand`login --token`} < FILE`,
  });
}

function refuseFlag(name: string, next: string | undefined, commands: readonly string[]): void {
  const refusal = flagRefusals.find(
    ({ names, of, except = [], when }) =>
      names.includes(name) &&
      (!of || of.some((command) => commands.includes(command))) &&
      !except.some((command) => commands.includes(command)) &&
      (when?.(next) ?? true),
  );
  if (!refusal) return;
  const { message, why, fix } = refusal;
  throw new UsageError(message, defined({ why, fix }));
}

interface Translation {
  argv: string[];
  /** What the command reads in place of stdin: secrets that were arguments. */
  input?: string;
  env?: Record<string, string>;
  secrets: string[];
  warning?: string;
}

/** The values of flags that are arguments here, where these stand. */
function withOperands(words: readonly string[]): string[] {
  const argv = [...words];
  const commands = commandOf(argv);
  for (const { name, of, before } of operandFlags) {
    const command = commands.findLast((each) => of.test(each));
    const value = command && takeFlag(argv, name);
    if (command === undefined || value === undefined) continue;
    const places = positionals(argv).slice(0, command.split(' ').length + before);
    const last = places.findLast((at) => !argv[at]?.includes('=')) ?? 0;
    argv.splice(last + 1, 0, value);
  }
  return argv;
}

function rewriteOperands(line: Translation): void {
  const { entry: rewrite, places = [] } = findName(line.argv, operandRewrites) ?? {};
  if (!rewrite) return;
  const others = positionals(line.argv).slice(places.length);
  const flags = line.argv.filter((_, at) => !places.includes(at) && !others.includes(at));
  const given = others.map((at) => line.argv[at] ?? '');
  const words = rewrite(given, line, flags);
  if (words) line.argv = [...words, ...flags];
}

function takeToken(line: Translation): void {
  const token = takeFlag(line.argv, '--service-account-token');
  if (token === undefined) return;
  // Not GANTRY_TOKEN: the official client's addresses are for its own token.
  line.env = { GANTRY_TOKEN: '', CEREBRIUM_SERVICE_ACCOUNT_TOKEN: token };
  line.secrets.push(token);
  line.warning = exposed('the token', 'set GANTRY_TOKEN instead');
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
  'secrets add': (pairs, line) => (pairs.length > 0 ? importSecrets(pairs, line) : undefined),
  'secrets import': ([file]) => (file === undefined ? undefined : ['secrets', 'set', '--from-env-file', file]),
  'builds logs': (given) => ['logs', ...withItsFlag('--build', given, [])],
  'runs logs': (given) => ['logs', ...withItsFlag('--run', given, ['latest'])],
  version: (_, __, flags) => {
    const check = flags.indexOf('--check');
    if (check < 0) return ['--version'];
    flags.splice(check, 1);
    return ['doctor'];
  },
  'save-auth-config': ([token, refreshToken, project], line, flags) =>
    token ? importTokens(token, refreshToken, takeFlag(flags, '--project-id') ?? project, line) : undefined,
};

/** `web b-1` is the app and its build or run. Alone, what looks like an id is one. */
function withItsFlag(flag: string, [first, second]: string[], newest: string[]): string[] {
  if (second !== undefined) return [first ?? '', flag, second];
  if (first !== undefined && /^[0-9a-f]{7,8}(-[0-9a-f-]*)?$/.test(first)) return [flag, first];
  return [...(first === undefined ? [] : [first]), flag, ...newest];
}

function onVolume(path: string): string {
  return path.includes(':') ? path : `:${posix.join('/', path)}`;
}

/** The values were exposed by being arguments; from here on they travel as text on stdin. */
function importSecrets(pairs: string[], line: Translation): string[] | undefined {
  const entries = pairs.map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)] as const);
  const [first = 'NAME'] = pairs;
  if (pairs.length === 1 && !first.includes('=')) return ['secrets', 'set', first];
  if (pairs.some((pair) => pair.indexOf('=') < 1)) {
    throw new UsageError('secret values cannot be passed as arguments', {
      why: 'arguments are visible in the shell history and to other processes: if it was a real value, change it',
      fix: gantryCommand`secrets set ${entries[0]?.[0] || 'NAME'}`,
    });
  }
  line.input = JSON.stringify(Object.fromEntries(entries));
  for (const [, value] of entries) line.secrets.push(value);
  line.warning = exposed('the value', `use gantry secrets set ${entries[0]?.[0]}, which asks for it`);
  return ['secrets', 'set', '--from-env-file', '-'];
}

/** Written as the official client stores them, which `login --import` reads. */
function importTokens(token: string, refreshToken: string | undefined, project: string | undefined, line: Translation) {
  const key = refreshToken ? 'accesstoken' : 'serviceaccounttoken';
  line.input = JSON.stringify({ [key]: token, refreshtoken: refreshToken, project });
  line.secrets.push(token);
  if (refreshToken) line.secrets.push(refreshToken);
  line.warning = exposed('the token', 'set GANTRY_TOKEN, or use gantry login --token < FILE');
  return ['login', '--import', '-'];
}

function exposed(what: string, instead: string): string {
  return `${what} on the command line is visible in the shell history and to other processes: ${instead}`;
}

/** Flags with a value: the word after them is not an argument. */
const valueFlags = new Set<string>(
  words(
    '-o --output -r --region -p --project --profile -C --cwd --color --app --dir',
    '--service-account-token --project-id --name --config-file --log-level --data --since',
    '--function --build --to --run --tail --lines --limit --until --search --source',
    '--json-body --payload --env-file --parallel --workers --timeout --concurrency',
    '-d --body --container-id --cooldown --min-replicas --max-replicas --response-grace-period',
  ),
);

/** The places of the words that are neither flags nor their values. */
function positionals(words: readonly string[]): number[] {
  return words.flatMap((word, at) => (word.startsWith('-') || valueFlags.has(words[at - 1] ?? '') ? [] : [at]));
}

function findName<Entry>(words: string[], table: Record<string, Entry>) {
  for (const length of [3, 2, 1]) {
    const places = positionals(words).slice(0, length);
    const entry = table[places.map((at) => words[at]).join(' ')];
    if (entry !== undefined && places.length === length) return { places, entry };
  }
  return undefined;
}

function commandOf(words: readonly string[]): string[] {
  const [first, second] = positionals(words).map((at) => words[at] ?? '');
  return first === undefined ? [] : [first, `${first} ${second ?? ''}`];
}

/** `--output=json`, `-o=json` and `-ojson` have their value attached. */
function splitFlag(word: string): [name: string, value: string | undefined] {
  const [, name = word, value] = /^(--[\w-]+|-y)=(.*)$|^/s.exec(word) ?? [];
  if (value !== undefined || !/^-[or][^=f]|^-[or]=/.test(word)) return [name, value];
  return [word.slice(0, 2), word.slice(2).replace(/^=/, '')];
}

function takeFlag(words: string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  const [word = '', next] = words.slice(at, at + 2);
  const attached = word === flag ? undefined : word.slice(flag.length + 1);
  words.splice(at, attached === undefined ? 2 : 1);
  return attached ?? next;
}
