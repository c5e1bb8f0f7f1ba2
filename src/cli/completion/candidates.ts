import { commands, namedCommand } from '../commands/index.ts';
import { commandNamed, type FlagForm, operandsOf, readWords, takesWord } from '../program/read-words.ts';
import type { CommandReference, FlagReference } from '../reference.ts';

/** What the help says, as far as completion needs it. */
export interface CompletionTree {
  flags: Pick<FlagReference, 'flags' | 'description' | 'valueRequired' | 'choices'>[];
  /** What a command has of its own, read when it is on the line. */
  inputsOf: (command: string) => CommandInputs;
}

export type CommandInputs = Pick<CommandReference, 'arguments' | 'flags' | 'json'>;

export interface ValueAtCursor {
  /** Its name in the help: `app` for `<app>`, `dir` for `--cwd <dir>`. */
  value: string;
  /** The flag it belongs to: `--cwd`. Undefined for an argument. */
  flag?: string;
  command: string;
  typed: string[];
  /** The flags before it that take a value. */
  given: Record<string, string>;
}

export type CompletionResult = { words: Candidate[] } | ValueAtCursor;

export type Candidate = [word: string, description: string];

export function findCandidates(tree: CompletionTree, words: string[]): CompletionResult {
  const typing = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.includes('--')) return { value: 'file', command: '', typed: [], given: {} };

  const parts = readWords(before, (name, operands) => formOf(flagNamed(name, flagsAfter(tree, operands))));
  const operands = operandsOf(parts);
  const line = commandNamed(operands);
  const command = line === undefined ? undefined : tree.inputsOf(line);
  const typed = operands.slice(line?.split(' ').length ?? operands.length);
  const given = Object.fromEntries(
    parts.flatMap(({ long, value }) => (long && value !== undefined ? [[long, value]] : [])),
  );
  const place = { command: line ?? operands.join(' '), typed, given };
  const allFlags = flagsAfter(tree, operands);

  const [, name = '', value] = /^(--[^=]+)=(.*)$/.exec(typing) ?? [];
  if (value !== undefined && name === '--json') return { words: fields(command, value) };
  const last = parts.at(-1);
  const expected = last?.value === undefined && takesWord(last?.takes, typing) ? last?.name : undefined;
  const flag = flagNamed(value === undefined ? expected : name, allFlags);
  if (flag) return choices(flag.choices) ?? { ...place, value: valueName(flag.flags), flag: longName(flag.flags) };
  if (typing.startsWith('-')) return { words: allFlags.map((entry) => [longName(entry.flags), entry.description]) };
  return command ? argumentAtCursor(command, place) : { words: subcommands(operands) };
}

function argumentAtCursor(command: CommandInputs, place: Omit<ValueAtCursor, 'value'>): CompletionResult {
  const argument = command.arguments[place.typed.length] ?? command.arguments.find(({ variadic }) => variadic);
  if (!argument) return { words: [] };
  return choices(argument.choices) ?? { value: argument.name, ...place };
}

function flagsAfter({ flags, inputsOf }: CompletionTree, operands: readonly string[]): CompletionTree['flags'] {
  const line = commandNamed(operands);
  return line === undefined ? flags : [...flags, ...inputsOf(line).flags];
}

/** Joins `--region`, `=` and `us`, which bash passes as three words. */
export function joinFlagValues(words: string[]): string[] {
  const whole: string[] = [];
  for (const [index, word] of words.entries()) {
    const last = whole.at(-1) ?? '';
    const belongs = (word === '=' && last.startsWith('--')) || (words[index - 1] === '=' && last.endsWith('='));
    if (belongs) whole[whole.length - 1] = last + word;
    else whole.push(word);
  }
  return whole;
}

function flagNamed(word: string | undefined, flags: CompletionTree['flags']) {
  return flags.find((flag) => flag.flags.split(/,? /).includes(word ?? ''));
}

function formOf(flag: CompletionTree['flags'][number] | undefined): FlagForm | undefined {
  const isOptional = flag !== undefined && /[<[]/.test(flag.flags);
  return (
    flag && { long: longName(flag.flags), takes: flag.valueRequired ? 'required' : isOptional ? 'optional' : undefined }
  );
}

/** Returns `--cwd` for `-C, --cwd <dir>`. */
function longName(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Returns `dir` for `-C, --cwd <dir>`, `id` for `--build [id]`. */
function valueName(flags: string): string {
  return /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';
}

function choices(words: string[] | undefined): { words: Candidate[] } | undefined {
  return words && { words: words.map((word): Candidate => [word, '']) };
}

/** Completes the last field of `--json=id,sta`. */
function fields(command: CommandInputs | undefined, typed: string): Candidate[] {
  const chosen = typed.slice(0, typed.lastIndexOf(',') + 1);
  return Object.entries(command?.json ?? {})
    .filter(([field]) => !chosen.split(',').includes(field))
    .map(([field, { description }]): Candidate => [chosen + field, description]);
}

/** What may follow on a line: commands and groups, those of a group, or nothing. */
export function subcommands([group, ...others]: string[]): Candidate[] {
  const below = group === undefined ? allEntries : Object.entries(namedCommand(group)?.commands ?? {});
  return others.length > 0 ? [] : below.map(([name, { summary }]) => [name, summary]);
}

const allEntries = Object.values(commands).flatMap((entries) => Object.entries(entries));
