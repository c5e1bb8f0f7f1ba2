import type { Option } from 'commander';
import { namedCommand } from '../commands/index.ts';

/** How a flag stands on a line: by which names, and whether the next word is its value. */
export interface FlagForm {
  names: readonly string[];
  /** An optional value never begins with a dash when it is a word of its own. */
  takes?: 'required' | 'optional' | undefined;
}

/** A flag with its value, or an operand. */
export interface LinePart<Form = FlagForm> {
  /** The place of its first word; letters in one word share it. */
  at: number;
  /** As it is typed by itself. */
  words: string[];
  /** `--since` of `--since=1h`; undefined for an operand. */
  name?: string;
  /** What is known of the flag. */
  form?: Form | undefined;
  value?: string | undefined;
}

/** What is known of a flag, after these operands. */
type FindForm<Form> = (name: string, operands: readonly string[]) => Form | undefined;

/** What stands before `--`, read as the parser does: `-qp x` is `-q` and `-p x`. */
export function readWords<Form extends Pick<FlagForm, 'takes'>>(
  words: readonly string[],
  formOf: FindForm<Form>,
): LinePart<Form>[] {
  const parts: LinePart<Form>[] = [];
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
export function operandsOf(parts: readonly LinePart<unknown>[]): string[] {
  return parts.filter(({ name }) => name === undefined).flatMap(({ words }) => words);
}

function splitLetters(word: string, find: (name: string) => Pick<FlagForm, 'takes'> | undefined): string[] {
  const first = word.slice(0, 2);
  const form = word.length > 2 && first !== '--' && !find(word) ? find(first) : undefined;
  return !form || form.takes || word[2] === '=' ? [word] : [first, ...splitLetters(`-${word.slice(2)}`, find)];
}

function readFlag<Form extends Pick<FlagForm, 'takes'>>(
  word: string,
  next: string | undefined,
  find: (name: string) => Form | undefined,
): Omit<LinePart<Form>, 'at'> {
  const isJoined = !find(word) && !word.startsWith('--') && find(word.slice(0, 2))?.takes !== undefined;
  const [, name = word, attached] = (isJoined ? /^(-.)=?(.+)$/s : /^(--?[^=]+)=(.*)$/s).exec(word) ?? [];
  const form = find(name);
  const isNext = attached === undefined && next !== undefined && takesWord(form, next);
  return { words: isNext ? [word, next] : [word], name, form, value: isNext ? next : attached };
}

/** As the parser has it, a word that looks like a flag is not taken for an optional value. */
export function takesWord(form: Pick<FlagForm, 'takes'> | undefined, word: string): boolean {
  return form?.takes === 'required' || (form?.takes === 'optional' && !/^-./s.test(word));
}

/** Flags as the parser knows them. */
export function formsOf(options: readonly Option[]): (name: string) => FlagForm | undefined {
  return (name) => {
    const {
      required = false,
      optional,
      long,
      short,
    } = options.find((each) => [each.long, each.short].includes(name)) ?? {};
    // Its fields are written after `=` only.
    const isOptional = optional && long !== '--json';
    const takes = required ? 'required' : isOptional ? 'optional' : undefined;
    return long || short ? { names: [long, short].flatMap((each) => each ?? []), takes } : undefined;
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
