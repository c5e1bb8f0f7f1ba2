import { arrangeCommand, asTyped, type CommandLine } from '../../kernel/command-line.ts';
import { namedCommand } from '../commands/index.ts';

const takesTarget = ['-p', '--project', '--profile', '--region', '-C', '--cwd', '--config-file'];
const selecting = [...takesTarget, '--local'];
const takesValue = [...takesTarget, '--color', '--jq'];

/** What a command line says before it is parsed, or if it could not be parsed. */
export function readTypedCommand(argv: readonly string[]) {
  const end = endOfOwn(argv);
  const selection: (readonly string[])[] = [];
  const words: string[] = [];
  for (const group of withValues(argv.slice(0, end))) {
    const [word = ''] = group;
    if (endsWithFile(words)) break;
    if (selecting.includes(flagNameOf(word))) selection.push(group);
    else if (!takesValue.includes(word) && (words.length > 0 || !word.startsWith('-'))) words.push(word);
  }
  const path = pathOf(words);
  const next = path.length === 0 ? undefined : words[path.length];
  const isRun = path[0] === 'run';
  return {
    /** The words that name its group or command; empty if there is none. */
    path,
    /** The word after these, unless it is a flag. */
    operand: next?.startsWith('-') ? undefined : next,
    /** The global flags that say where it works, with their values. */
    selection: selection.filter(([word = '', value]) => value !== undefined || !takesTarget.includes(word)),
    /** The other flags between `run` and its file, each with its value; undefined for any other line. */
    beforeFile: isRun && isPythonFile(words.at(-1)) ? flagsIn(words.slice(1, -1).map(asTyped)) : undefined,
    /** Where the program takes flags for its own: before `--`, and before the file of `run`. */
    flagsAt: isRun ? argv.indexOf('run') + 1 : end,
  };
}

/** What follows the file of `gantry run` belongs to the program. */
function endsWithFile(words: readonly string[]): boolean {
  return words[0] === 'run' && (isPythonFile(words.at(-1)) || !(words[1] ?? '-').startsWith('-'));
}

/** Where `--` is: what follows belongs to another program. */
export function endOfOwn(argv: readonly string[]): number {
  return argv.includes('--') ? argv.indexOf('--') : argv.length;
}

/** `--since` of `--since=1h`. */
export function flagNameOf(word: string): string {
  return word.split('=', 1)[0] ?? '';
}

function flagsIn(words: readonly string[]): string[][] {
  return words.flatMap((word, at) => {
    const next = words[at + 1];
    if (!word.startsWith('-')) return [];
    return [next === undefined || next.startsWith('-') ? [word] : [word, next]];
  });
}

/** Or a function in one: `job.py::train`. */
export function isPythonFile(word = ''): boolean {
  return /\.py(::|$)/.test(word);
}

/** Each word; a global flag with the word that is its value. */
function* withValues(words: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < words.length; ) {
    const size = takesValue.includes(words[at] ?? '') ? 2 : 1;
    yield words.slice(at, at + size);
    at += size;
  }
}

function pathOf([first = '', second = '']: string[]): string[] {
  const entry = namedCommand(first);
  if (!entry) return [];
  return Object.hasOwn(entry.commands ?? {}, second) ? [first, second] : [first];
}

/** The command line with an operand: in place of this word of it, or else as the first one. */
export function withOperand(argv: readonly string[], operand: string, word: string | undefined): CommandLine {
  const { path } = readTypedCommand(argv);
  const isValue = (at: number) => takesValue.includes(argv[at - 1] ?? '') || /^--[\w-]+$/.test(argv[at - 1] ?? '');
  const last = argv.lastIndexOf(path.at(-1) ?? '', endOfOwn(argv));
  const places = argv.flatMap((each, at) => (each === word && at > last ? [at] : []));
  const at = places.find((place) => !isValue(place)) ?? places[0];
  const words = (typed: readonly string[]) => typed.map((text) => ({ text }));
  const [before, after] = at === undefined ? [last + 1, last + 1] : [at, at + 1];
  return arrangeCommand([
    ...words(argv.slice(0, before)),
    { text: operand, isValue: true, isOfFlag: false },
    ...words(argv.slice(after)),
  ]);
}

/** The command line with these flags, where the program takes them for its own. */
export function withFlags(argv: readonly string[], flags: readonly string[]): string[] {
  const end = endOfOwn(argv);
  const { flagsAt: start } = readTypedCommand(argv);
  const hasAll = flags.every((flag) => argv.includes(flag));
  // Instead of the value that was typed.
  const valued = flags.filter((flag, at) => /^--|^-C$/.test(flag) && flags[at + 1]?.startsWith('--') === false);
  const isOther = (word: string, at: number) =>
    hasAll || !valued.some((flag) => [word, argv[at - 1]].includes(flag) || word.startsWith(`${flag}=`));
  const others = argv.map((word, at) => (at >= end || isOther(word, at) ? [word] : []));
  const added = hasAll ? [] : flags;
  return ['gantry', ...others.slice(0, start).flat(), ...added, ...others.slice(start).flat()];
}
