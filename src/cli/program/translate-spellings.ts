import { posix } from 'node:path';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { words } from '../../kernel/words.ts';
import { endOfOwn, type FlagForm, type LinePart, operandsOf, readWords } from './read-words.ts';
import {
  commandSpellings,
  flagRefusals,
  flagSpellings,
  helpSpellings,
  operandFlags,
  refusals,
  switches,
} from './spellings.ts';
import { globalFlag, isPythonFile } from './typed-command.ts';

/** Undefined if the official client spells nothing otherwise. Throws UsageError if nothing means the same. */
export function translateSpellings(argv: readonly string[], hasExtraWord = false): Translation | undefined {
  const { own, rest } = splitArguments(argv);
  const isHelp = own.some((word) => word === '--help' || word === '-h');
  const names = isHelp ? { ...commandSpellings, ...helpSpellings } : commandSpellings;
  const line: Translation = { argv: renameCommands(own.flatMap(splitLetters), names), secrets: [] };
  refuseCommand(line.argv);
  takeToken(line);
  const commands = commandOf(line.argv);
  line.argv = partsOf(line.argv).flatMap((part) => translateFlag(part, commands));
  if (hasExtraWord) refuseExtraWord(operandsOf(partsOf(line.argv)));
  line.argv = withOperands(line.argv);
  rewriteOperands(line);
  for (const word of rest) line.argv.push(word);
  return line.argv.join('\n') === argv.join('\n') ? undefined : line;
}

/** What follows `--`, or the file of `run`, belongs to another program. */
function splitArguments(argv: readonly string[]): { own: string[]; rest: string[] } {
  const end = endOfOwn(argv);
  const [command] = operandsOf(partsOf(argv));
  const file = command === 'run' ? argv.findIndex((word, at) => at < end && isPythonFile(word)) : -1;
  return { own: argv.slice(0, file < 0 ? end : file), rest: argv.slice(file < 0 ? end : file) };
}

/** `-yv` is `-y -v`. Letters that gantry knows itself need no help. */
function splitLetters(word: string): string[] {
  return /^-(?=.*v)[yqv]{2,}$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}

function renameCommands(words: string[], names: Record<string, string>): string[] {
  const spelling = findName(words, names);
  if (!spelling) return words;
  const [first = 0] = spelling.places;
  const others = words.filter((_, at) => at > first && !spelling.places.includes(at));
  // Again, because `project set` is `projects set` now.
  return renameCommands([...words.slice(0, first), ...spelling.entry.split(' '), ...others], names);
}

/** The words of a flag and its value as gantry has them; an operand stays. */
function translateFlag(part: LinePart, commands: string[]): readonly string[] {
  const { name, value, words } = part;
  if (name === undefined) return words;
  const { here } = flagSpellings.find(({ names, of }) => names.includes(name) && isOneOf(commands, of)) ?? {};
  if (typeof here !== 'function') return plainFlag(part, here, commands);
  return (value === undefined ? undefined : here(value, name)) ?? plainFlag(part, undefined, commands);
}

/** A flag that takes no value here: the spelling that replaces it, or itself. */
function plainFlag({ name = '', value, words }: LinePart, here: readonly string[] | undefined, commands: string[]) {
  if (!here) refuseFlag(name, value, commands);
  if (!here && (value === undefined || !switches.includes(name))) return words;
  // The words of the official client; any other is refused as it stands.
  if (/^(0|f|false)$/i.test(value ?? '')) return [];
  return here || value === undefined || /^(1|t|true)$/i.test(value) ? (here ?? [name]) : words;
}

function isOneOf(commands: readonly string[], of?: readonly string[]): boolean {
  return !of || of.some((command) => commands.includes(command));
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
      names.includes(name) && isOneOf(commands, of) && !isOneOf(commands, except) && (when?.(next) ?? true),
  );
  if (!refusal) return;
  const { message, why, fix } = refusal;
  throw new UsageError(message, defined({ why, fix }));
}

interface Translation {
  argv: string[];
  /** What the command reads in place of stdin: secrets that were arguments. */
  input?: string;
  /** What names stdin is these words in a line to type: nothing is there to be read again. */
  toType?: readonly string[];
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
  line.toType = ['--token'];
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
  line.toType = [...entries.map(([name]) => name), '--from-env'];
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

/** Flags with a value, besides those of the tables and of every command. */
const valueFlags = new Set<string>([
  ...flagSpellings.flatMap(({ here, names }) => (typeof here === 'function' ? names : [])),
  ...operandFlags.map(({ name }) => name),
  ...words(
    '--dir --service-account-token --project-id --name --data --tail --until --search --source --timeout --concurrency',
    '--from-env-file --min-replicas --max-replicas --container',
  ),
]);

/** Letters that are refused as one. */
const joined = flagRefusals.flatMap(({ names }) => names.filter((name) => /^-\w{2}/.test(name)));

const formOf = (name: string): FlagForm | undefined => {
  if (valueFlags.has(name)) return { takes: 'required' };
  return joined.includes(name) ? {} : globalFlag(name)?.takes && globalFlag(name);
};

const partsOf = (words: readonly string[]) => readWords(words, formOf);

/** The places of the words that are neither flags nor their values. */
function positionals(words: readonly string[]): number[] {
  return partsOf(words).flatMap(({ name, at }) => (name === undefined ? [at] : []));
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
  const [first, second] = operandsOf(partsOf(words));
  return first === undefined ? [] : [first, `${first} ${second ?? ''}`];
}

function takeFlag(words: string[], flag: string): string | undefined {
  const part = partsOf(words).find(({ name }) => name === flag);
  if (part) words.splice(part.at, part.words.length);
  return part?.value;
}
