import { Command as Commander } from 'commander';
import { arrangeCommand, asTyped, type CommandLine, gantryCommand, joinFields } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import { type CommandEntry, namedCommand } from '../commands/index.ts';
import { addGlobalFlags } from './command-tree.ts';
import { commandPath, endOfOwn, type FlagForm, formsOf, type LinePart, operandsOf, readWords } from './read-words.ts';

const takesTarget = ['--project', '--profile', '--region', '--cwd', '--config-file'];
const selecting = [...takesTarget, '--local'];

const globalForms = once(() => formsOf(addGlobalFlags(new Commander()).options));
/** A flag of every command. */
export const globalFlag = (name: string) => globalForms()(name);
/** Where the command is not known: a word after a flag is its value, if it has no dash. */
const anyFlag = (name: string): FlagForm => globalFlag(name) ?? { takes: 'optional' };

/** What a command line says before it is parsed, or if it could not be parsed. */
export function readTypedCommand(argv: readonly string[]) {
  const { selection, words, file } = readOwnWords(argv);
  const path = commandPath(words);
  const next = path.length === 0 ? undefined : words[path.length];
  const start = argv.indexOf('run') + 1;
  return {
    /** The words that name its group or command; empty if there is none. */
    path,
    /** The word after these, unless it is a flag. */
    operand: next?.startsWith('-') ? undefined : next,
    /** The global flags that say where it works, with their values. */
    selection: selection.filter(({ value, takes }) => value !== undefined || !takes),
    /** The other flags between `run` and its file, each with its value; undefined for any other line. */
    beforeFile: file && readWords(argv.slice(start, file.at).map(asTyped), anyFlag).filter(isOther),
    /** Where the program takes flags for its own: before `--`, and before the file of `run`. */
    flagsAt: path[0] === 'run' ? start : endOfOwn(argv),
  };
}

const isOther = (part: LinePart) => part.name !== undefined && !selecting.includes(part.long ?? '');

/** What stands before the file of `run`; of other lines, all. */
function readOwnWords(argv: readonly string[]) {
  const selection: LinePart[] = [];
  const words: string[] = [];
  for (const part of readWords(argv, globalFlag)) {
    const [word = ''] = part.words;
    if (selecting.includes(part.long ?? '')) selection.push(part);
    else if (!part.takes && (words.length > 0 || part.name === undefined)) words.push(word);
    if (endsWithFile(words)) return { selection, words, file: isPythonFile(word) ? part : undefined };
  }
  return { selection, words, file: undefined };
}

/** What follows the file of `gantry run` belongs to the program. */
function endsWithFile(words: readonly string[]): boolean {
  return words[0] === 'run' && (isPythonFile(words.at(-1)) || !(words[1] ?? '-').startsWith('-'));
}

/** Or a function in one: `job.py::train`. */
export function isPythonFile(word = ''): boolean {
  return /\.py(::|$)/.test(word);
}

/** The command line with an operand: in place of this word of it, or else as the first one. */
export function withOperand(argv: readonly string[], operand: string, word: string | undefined): CommandLine {
  const parts = readWords(argv, anyFlag);
  const last = argv.lastIndexOf(commandPath(operandsOf(parts)).at(-1) ?? '', endOfOwn(argv));
  const places = argv.flatMap((each, at) => (each === word && at > last ? [at] : []));
  const at = places.find((place) => !parts.some((part) => part.value === word && part.at === place - 1)) ?? places[0];
  const words = (typed: readonly string[]) => typed.map((text) => ({ text }));
  const [before, after] = at === undefined ? [last + 1, last + 1] : [at, at + 1];
  return arrangeCommand([
    ...words(argv.slice(0, before)),
    { text: operand, isValue: true, isOfFlag: false },
    ...words(argv.slice(after)),
  ]);
}

/** The command line with these flags, where the program takes them for its own, in place of the same with other values. */
export function withFlags(argv: readonly string[], flags: readonly string[]): string[] {
  if (flags.every((flag) => argv.includes(flag))) return ['gantry', ...argv];
  const { flagsAt } = readTypedCommand(argv);
  const replaced = readWords(flags, anyFlag).flatMap((flag) => (flag.value === undefined ? [] : (flag.long ?? [])));
  const others = (words: readonly string[]) => withoutFlags(words, replaced);
  return ['gantry', ...others(argv.slice(0, flagsAt)), ...flags, ...others(argv.slice(flagsAt))];
}

/** A line without these flags and their values. */
export function withoutFlags(argv: readonly string[], names: readonly string[]): string[] {
  const kept = readWords(argv, anyFlag).filter((part) => !names.includes(part.long ?? ''));
  return [...wordsOf(kept), ...argv.slice(endOfOwn(argv))];
}

interface DividedLine {
  /** What the parser gets. */
  words: string[];
  /** The whole line, in the same order. */
  typed: string[];
  programArguments?: string[];
}

/**
 * The line as the parser takes it: the flags of a command behind it, and each letter by itself. What follows the file of
 * `gantry run` is for the program; `--json` and `--help` apply at any position. Throws UsageError if a value is missing.
 */
export async function divideLine(words: string[]): Promise<DividedLine> {
  const typed = withCommandFirst(words);
  const { path, parts } = await readLine(typed);
  const operands = parts.filter(({ name }) => name === undefined);
  const end = endOfOwn(typed);
  const file = path[0] === 'run' ? (operands[1]?.at ?? end + 1) : end;
  const before = parts.filter(({ at }) => at < file);
  checkValues(before, path);
  const commandAt = operands[path.length - 1]?.at ?? 0;
  const isMoved = ({ at, name }: LinePart) => at < commandAt && name !== undefined && !globalFlag(name);
  const start = wordsOf(before.filter((part) => part.at <= commandAt && !isMoved(part)));
  const flags = wordsOf([...before.filter(isMoved), ...before.filter(({ at }) => at > commandAt)]);
  const rest = typed.slice(Math.min(file, end));
  const line = { words: [...start, ...flags, ...rest], typed: [...start, ...flags, ...rest] };
  if (path[0] !== 'run' || file >= typed.length) return line;
  const programArguments = joinFields(typed.slice(file + 1));
  const globalWords = programArguments.slice(0, endOfOwn(programArguments)).filter(isForAnyPosition);
  const ofParser = [...start, ...globalWords, ...flags, ...rest.slice(0, file < end ? 1 : 2)];
  return { ...line, words: ofParser, programArguments };
}

/**
 * With the flags of a command behind it. What they take is not known before the command is: the word after a flag is its value
 * if a command follows, or else the command.
 */
function withCommandFirst(words: string[]): string[] {
  const firstOperands = [anyFlag, globalFlag].map((formOf) => readWords(words, formOf).find(({ name }) => !name));
  const command = firstOperands.find((part) => part && namedCommand(part.words[0] ?? ''));
  if (!command) return words;
  const before = readWords(words.slice(0, command.at), anyFlag);
  const isOfAll = ({ name = '' }: LinePart) => globalFlag(name) !== undefined;
  const rest = words.slice(command.at);
  const end = commandPath(rest).length;
  const moved = before.filter((part) => !isOfAll(part));
  return [...wordsOf(before.filter(isOfAll)), ...rest.slice(0, end), ...wordsOf(moved), ...rest.slice(end)];
}

const wordsOf = (parts: readonly LinePart[]) => parts.flatMap(({ words }) => words);

const isForAnyPosition = (word: string) => /^(--json(=.*)?|--help|-h)$/s.test(word);

/** With the flags of the command that it names; the path is empty if it names none, or another word stands before it. */
async function readLine(words: readonly string[]): Promise<{ path: string[]; parts: LinePart[] }> {
  const parts = readWords(words, globalFlag);
  const operands = operandsOf(parts);
  const path = commandPath(operands.slice(operands.findIndex((word) => namedCommand(word))));
  const load = leafOf(path)?.load;
  if (!load) return { path: [], parts };
  const command = new Commander();
  (await load()).default.configure(command as never);
  const ownFlag = formsOf(command.options);
  const whole = readWords(words, (name) => globalFlag(name) ?? ownFlag(name));
  const isFirst = path.every((word, at) => operandsOf(whole)[at] === word);
  return isFirst ? { path, parts: whole } : { path: [], parts };
}

function leafOf([first = '', second = '']: readonly string[]): CommandEntry | undefined {
  const entry = namedCommand(first);
  return entry?.commands?.[second] ?? (entry?.load ? entry : entry?.commands?.[entry.byDefault ?? '']);
}

/** Rejects `--name --dry-run`: taken for the name, it would be no dry run. */
function checkValues(parts: readonly LinePart[], path: readonly string[]): void {
  const lacking = parts.find(({ takes, value }) => takes === 'required' && value === undefined);
  if (!lacking) return;
  const { long } = lacking;
  const fix = lacking === parts.at(-1) ? gantryCommand`${path} --help` : `a value with a dash is joined: ${long}=VALUE`;
  throw new UsageError(`${long} requires a value`, { fix });
}
