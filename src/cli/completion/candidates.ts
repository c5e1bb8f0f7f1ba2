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
  const { flags, commands, groups } = tree;
  const typing = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (before.includes('--')) return { value: 'file', command: '', typed: [], given: {} };

  const { typed, given, expected, found } = readWords(tree, before);
  const { line, command } = found ?? {};
  const inputs = line === undefined ? [] : typed.slice(line.split(' ').length);
  const allFlags = [...flags, ...(command?.flags ?? [])];

  const [, name = '', value] = /^(--[^=]+)=(.*)$/.exec(typing) ?? [];
  if (value !== undefined && name === '--json') return { words: fields(command, value) };
  const flag = value === undefined ? takesWord(expected, typing) : valueFlag(name, allFlags);
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

/** What the words before the cursor say. `expected`: the flag whose value is at the cursor. */
function readWords(tree: CompletionTree, before: string[]) {
  const typed: string[] = [];
  const given: Record<string, string> = {};
  let expected: CompletionTree['flags'][number] | undefined;
  let command: ReturnType<typeof commandIn>;
  for (const word of before) {
    const taking = takesWord(expected, word);
    expected = undefined;
    if (taking) {
      given[longName(taking.flags)] = word;
    } else if (word.startsWith('-')) {
      const [, long, attached = ''] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      if (long !== undefined) given[long] = attached;
      else expected = valueFlag(word, [...tree.flags, ...(command?.command?.flags ?? [])]);
    } else {
      typed.push(word);
      command ??= commandIn(tree, typed.join(' '));
    }
  }
  return { typed, given, expected, found: command };
}

/** As on the command line, a word that looks like a flag is not taken as an optional value. */
function takesWord<Flag extends CompletionTree['flags'][number]>(
  flag: Flag | undefined,
  word: string,
): Flag | undefined {
  return flag?.valueRequired || !word.startsWith('-') ? flag : undefined;
}

function commandIn({ commands, inputsOf }: CompletionTree, line: string) {
  return commands.some(({ command }) => command === line) ? { line, command: inputsOf(line) } : undefined;
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

function valueFlag<Flag extends CompletionTree['flags'][number]>(word: string, flags: Flag[]): Flag | undefined {
  return flags.find((flag) => /[<[]/.test(flag.flags) && flag.flags.split(/,? /).includes(word));
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
