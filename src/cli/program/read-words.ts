import type { Option } from 'commander';
import { namedCommand } from '../commands/index.ts';

/** What is known of a flag. */
export interface FlagForm {
  long?: string | undefined;
  /** Whether the next word is its value. One that begins with a dash is joined to its flag. */
  takes?: 'required' | 'optional' | undefined;
}

/** A flag with its value, or an operand. */
export interface LinePart extends FlagForm {
  /** The place of its first word; letters in one word share it. */
  at: number;
  /** As it is typed by itself. */
  words: string[];
  /** `--since` of `--since=1h`; undefined for an operand. */
  name?: string;
  value?: string | undefined;
}

/** What is known of the flag of this name, after these operands; undefined if nothing is. */
type FindForm = (name: string, operands: readonly string[]) => FlagForm | undefined;

/** What stands before `--`, read as the parser does: `-qp x` is `-q` and `-p x`. */
export function readWords(words: readonly string[], formOf: FindForm): LinePart[] {
  const parts: LinePart[] = [];
  const operands: string[] = [];
  const find = (name: string) => formOf(name, operands);
  const end = endOfOwn(words);
  for (let at = 0; at < end; at += parts.at(-1)?.words.length ?? 1) {
    const word = words[at] ?? '';
    const next = at + 1 < end ? words[at + 1] : undefined;
    const isFlag = /^-./s.test(word);
    if (!isFlag) operands.push(word);
    const read = isFlag ? splitLetters(word, find).map((flag) => readFlag(flag, next, find)) : [{ words: [word] }];
    for (const part of read) parts.push({ at, ...part });
  }
  return parts;
}

/** The operands of a line. */
export function operandsOf(parts: readonly LinePart[]): string[] {
  return parts.filter(({ name }) => name === undefined).flatMap(({ words }) => words);
}

function splitLetters(word: string, find: (name: string) => FlagForm | undefined): string[] {
  const first = word.slice(0, 2);
  const form = word.length > 2 && first !== '--' && !find(word) ? find(first) : undefined;
  return !form || form.takes || word[2] === '=' ? [word] : [first, ...splitLetters(`-${word.slice(2)}`, find)];
}

function readFlag(word: string, next: string | undefined, find: (name: string) => FlagForm | undefined) {
  const isJoined = !find(word) && !word.startsWith('--') && find(word.slice(0, 2))?.takes !== undefined;
  const [, name = word, attached] = (isJoined ? /^(-.)=?(.+)$/s : /^(--?[^=]+)=(.*)$/s).exec(word) ?? [];
  const { long = name, takes } = find(name) ?? {};
  const isNext = attached === undefined && next !== undefined && takesWord(takes, next);
  return { words: isNext ? [word, next] : [word], name, long, takes, value: isNext ? next : attached };
}

/** A word that looks like a flag is not taken for a value; a negative number is only taken where one is required. */
export function takesWord(takes: FlagForm['takes'], word: string): boolean {
  return takes !== undefined && !(takes === 'required' ? /^-[-a-z]/i : /^-./s).test(word);
}

/** Flags as the parser knows them. */
export function formsOf(options: readonly Option[]): (name: string) => FlagForm | undefined {
  return (name) => {
    const option = options.find(({ long, short }) => name === long || name === short);
    // The fields of `--json` are written after `=` only.
    const isOptional = option?.optional && option.long !== '--json';
    return option && { long: option.long, takes: option.required ? 'required' : isOptional ? 'optional' : undefined };
  };
}

/** Where `--` is: what follows belongs to another program. */
export function endOfOwn(argv: readonly string[]): number {
  return argv.includes('--') ? argv.indexOf('--') : argv.length;
}

/** The operands that name a command or a group; none if it is unknown. */
export function commandPath([first = '', second = '']: readonly string[]): string[] {
  const entry = namedCommand(first);
  if (!entry) return [];
  return Object.hasOwn(entry.commands ?? {}, second) ? [first, second] : [first];
}

/** The command that operands name; undefined for a group, and for none. */
export function commandNamed(operands: readonly string[]): string | undefined {
  const path = commandPath(operands);
  const isCommand = path.length === 2 || namedCommand(path[0] ?? '')?.load !== undefined;
  return isCommand ? path.join(' ') : undefined;
}
