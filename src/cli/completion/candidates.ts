import { commandPath, operandsOf, readWords, takesWord } from '../program/read-words.ts';
import type { CommandReference, FlagReference } from '../reference.ts';

/** The parts of `gantry help --json` that completion needs. */
export interface CompletionTree {
  flags: Pick<FlagReference, 'flags' | 'description' | 'valueRequired' | 'choices'>[];
  commands: Pick<CommandReference, 'command' | 'summary'>[];
  groups: Record<string, string>;
  /** The rest of a command, read when it is on the line. */
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
  const { commands, groups } = tree;
  const typing = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.includes('--')) return { value: 'file', command: '', typed: [], given: {} };

  const parts = readWords(before, (name, operands) => valueFlag(name, flagsAfter(tree, operands)));
  const typed = operandsOf(parts);
  const { line, inputs: command } = commandIn(tree, typed);
  const inputs = line === undefined ? [] : typed.slice(line.split(' ').length);
  const allFlags = flagsAfter(tree, typed);

  const [, name = '', value] = /^(--[^=]+)=(.*)$/.exec(typing) ?? [];
  if (value !== undefined && name === '--json') return { words: fields(command, value) };
  const last = parts.at(-1);
  const expected = last?.value === undefined && takesWord(last?.form, typing) ? last?.form : undefined;
  const flag = value === undefined ? expected : valueFlag(name, allFlags);
  const given = Object.fromEntries(
    parts.flatMap(({ form, value }) => (form && value !== undefined ? [[longName(form.flags), value]] : [])),
  );
  if (flag) {
    const place = { value: valueName(flag.flags), flag: longName(flag.flags), typed: inputs, given };
    return choices(flag.choices) ?? { ...place, command: line ?? typed.join(' ') };
  }
  if (typing.startsWith('-')) return { words: allFlags.map((entry) => [longName(entry.flags), entry.description]) };
  if (!command || line === undefined) return { words: subcommands(commands, groups, typed) };
  return argumentAtCursor(command, { command: line, typed: inputs, given });
}

function argumentAtCursor(command: CommandInputs, place: Omit<ValueAtCursor, 'value'>): CompletionResult {
  const argument = command.arguments[place.typed.length] ?? command.arguments.find(({ variadic }) => variadic);
  if (!argument) return { words: [] };
  return choices(argument.choices) ?? { value: argument.name, ...place };
}

function flagsAfter(tree: CompletionTree, operands: readonly string[]): CompletionTree['flags'] {
  return [...tree.flags, ...(commandIn(tree, operands).inputs?.flags ?? [])];
}

function commandIn({ commands, inputsOf }: CompletionTree, operands: readonly string[]) {
  const line = commandPath(operands).join(' ');
  return commands.some(({ command }) => command === line) ? { line, inputs: inputsOf(line) } : {};
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

function valueFlag(word: string, flags: CompletionTree['flags']) {
  const flag = flags.find((flag) => flag.flags.split(/,? /).includes(word));
  if (!flag) return undefined;
  const takes = flag.valueRequired
    ? ('required' as const)
    : /[<[]/.test(flag.flags)
      ? ('optional' as const)
      : undefined;
  return { ...flag, takes };
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

function subcommands(
  commands: CompletionTree['commands'],
  groups: CompletionTree['groups'],
  typed: string[],
): Candidate[] {
  const candidates = new Map<string, string>();
  for (const { command, summary } of commands) {
    const words = command.split(' ');
    const next = words[typed.length];
    if (next === undefined || !typed.every((word, index) => word === words[index])) continue;
    if (words.length === typed.length + 1) candidates.set(next, summary);
    else if (!candidates.has(next)) candidates.set(next, groups[next] ?? '');
  }
  return [...candidates];
}

/** What is typed up to the last slash or colon. */
export function typedFolder(typing: string): string {
  return typing.slice(0, Math.max(typing.lastIndexOf('/'), typing.lastIndexOf(':')) + 1);
}
