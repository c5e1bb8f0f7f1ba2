import type { Command as Commander } from 'commander';
import { asTyped, CommandLine, type Fix, gantryCommand } from '../../kernel/command-line.ts';
import { type CorrectedWord, type GantryError, UnavailableError } from '../../kernel/errors.ts';
import type { Effect } from '../command.ts';
import { buildProgram } from './command-tree.ts';
import { answered, isCallable, nextAfterError, withJson } from './next-commands.ts';
import { normalizeArguments } from './run-program.ts';
import type { RunState } from './run-state.ts';
import { placeFix } from './same-place.ts';
import { divideLine, withFlags, withoutFlags } from './typed-command.ts';

/** Makes the fix of an error that knows which word was wrong, or which flags were missing: the whole line to type. */
export async function completeFix(
  error: GantryError,
  { argv, isReading, isJson }: Pick<RunState, 'argv' | 'isReading' | 'isJson'>,
  isForModel = false,
): Promise<void> {
  const { facts } = error;
  // For a model it is implied.
  const isPrinted = isJson === true && !isForModel;
  // Without a status there was no reply: doctor checks the connection.
  if (error instanceof UnavailableError && facts.status === undefined) facts.fix ??= gantryCommand`doctor`;
  placeFix(error, argv);
  const { corrected, retryWith } = facts;
  // What was confirmed was another command.
  const again = retryWith && new CommandLine(withFlags(withoutFlags(argv, ['--confirm']), retryWith));
  if (again) facts.fix = facts.fix === undefined ? again : `${facts.fix}: ${again}`;
  if (corrected && (isReading || !corrected.isGuess)) facts.fix = (await correctedFix(argv, corrected)) ?? facts.fix;
  const next = facts.next === undefined ? commandOf(error, argv) : facts.next?.argv;
  const isTaken = next && !(isForModel && !(await isCallable(next)));
  facts.next = isTaken ? new CommandLine(await withJson(next, argv, isPrinted)) : null;
}

async function correctedFix(argv: readonly string[], corrected: CorrectedWord): Promise<Fix | undefined> {
  const correctedArgv = await correctedLine(argv, corrected);
  const line = correctedArgv && new CommandLine(['gantry', ...correctedArgv]);
  return line && corrected.isExample ? `for example: ${line}` : line;
}

/** That of its fix, for programs. */
function commandOf(error: GantryError, argv: readonly string[]): readonly string[] | undefined {
  const { fix } = error.facts;
  const isWhole = fix instanceof CommandLine && !fix.argv.some((word) => placeholder.test(word));
  return isWhole ? answered(fix.argv) : nextAfterError(error, argv);
}

/** A word that a person replaces: a program cannot run such a line. */
const placeholder = /^(:\/)?(NAME|FILE|URL|BUILD|VALUE|REV)$/;

/** If it can be parsed: other words may be wrong, too, or missing. Otherwise, its help. */
async function correctedLine(argv: readonly string[], { typed, meant, flag = '' }: CorrectedWord) {
  const words = argv.map(asTyped);
  const at = words.findLastIndex(typed ? (word) => partsOf(word).includes(typed) : isEmptyOf(flag));
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  const start = [...words.slice(0, at), ...inPlaceOf(typed, meant, words[at])];
  const isPlain = (word: string, at: number) => plain.test(word) || takesName.test(rest[at - 1] ?? start.at(-1) ?? '');
  const isHidden = words.some((word) => secretive.test(word)) && !rest.every(isPlain);
  const whole = [...start, ...rest];
  const completed = isHidden ? undefined : (await kindOf(whole)) ? whole : await spelledLine(whole);
  if (completed) return completed;
  const help = [...start, '--help'];
  // A flag before `--help` may take it for its value.
  return (await kindOf(help)) === 'help' ? help : undefined;
}

const isEmptyOf = (flag: string) => (word: string, at: number, words: readonly string[]) =>
  word === `${flag}=` || (word === '' && words[at - 1] === flag);

/** What stands around it in its word stays one with it, whatever it has. */
function inPlaceOf(typed: string, meant: CorrectedWord['meant'], word = ''): string[] {
  return word.replace(typed || /$/, () => [meant].flat().join('\0')).split('\0');
}

/** In gantry's words, if it is a line of the official client or of habit. */
export async function spelledLine(line: readonly string[]): Promise<readonly string[] | undefined> {
  const { translateSpellings } = await import('./translate-spellings.ts');
  try {
    const spelled = translateSpellings(line);
    const isLine = spelled !== undefined && spelled.secrets.length === 0 && (await kindOf(spelled.argv)) !== undefined;
    return isLine ? spelled.argv : undefined;
  } catch {
    return undefined;
  }
}

/** The word, the value of its flag, and what is listed in it. */
function partsOf(word: string): string[] {
  return [word, word.replace(/^--[\w-]+=/, ''), ...word.split(/[=,:]/)];
}

/** Undefined if it cannot be parsed. */
function kindOf(line: readonly string[]): Promise<'command' | 'help' | undefined> {
  return parseLine(line).then(
    (parsed) => (parsed ? 'command' : 'help'),
    () => undefined,
  );
}

/** The command that a line calls, and what it would do; undefined if it asks for help. Throws what the parser throws. */
export async function parseLine(line: readonly string[]) {
  let parsed: { called: Commander; effect: Effect } | undefined;
  let isHelp = false;
  const program = buildProgram({
    run: async (command, _, inputs, called) => {
      parsed = { called, effect: command.effectOf(...inputs) };
    },
    onHelp: () => {
      isHelp = true;
    },
  });
  try {
    const { words } = await divideLine(normalizeArguments(line));
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!isHelp) throw error;
  }
  return parsed;
}

/** What was typed is not repeated if it may have a secret: a token is in the history of a shell, but not in every log. */
const secretive = /^(secrets?|log-?in|auth|--?[\w-]*(token|header|data|field|secret|key|pass)[\w-]*)(=|$)/i;
const plain = /^(list|ls|set|unset|import|--[a-z-]+|[A-Z]+(_[A-Z\d]+)+)$/;
/** Flags whose value is never a secret. */
const takesName = /^--([\w-]*file|app|cwd|project|region|color)$|^-[Cp]$/;
