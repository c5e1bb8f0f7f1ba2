import { arrangeCommand, type CommandLine } from '../../kernel/command-line.ts';
import { namedCommand } from '../commands/index.ts';

const takesTarget = ['-p', '--project', '--profile', '--region', '-C', '--cwd', '--config-file'];
const selecting = [...takesTarget, '--local'];
const takesValue = [...takesTarget, '--color', '--jq'];

/** What a command line says before it is parsed, or if it could not be parsed. */
export function readTypedCommand(argv: readonly string[]) {
  const end = argv.indexOf('--');
  const selection: (readonly string[])[] = [];
  const words: string[] = [];
  const own = end < 0 ? argv : argv.slice(0, end);
  for (const group of withValues(own)) {
    const [word = ''] = group;
    const [flag = ''] = word.split('=', 1);
    // What follows the file of `gantry run` belongs to the program.
    if (words.length > 1 && words[0] === 'run' && (!words[1]?.startsWith('-') || isPythonFile(words.at(-1)))) break;
    if (selecting.includes(flag)) selection.push(group);
    else if (!takesValue.includes(word)) words.push(word);
  }
  const start = words.findIndex((word) => !word.startsWith('-'));
  const path = pathOf(words.slice(start < 0 ? words.length : start));
  const next = path.length === 0 ? undefined : words[start + path.length];
  return {
    /** The words that name its group or command; empty if there is none. */
    path,
    /** The word after these, unless it is a flag. */
    operand: next?.startsWith('-') ? undefined : next,
    /** The global flags that say where it works, with their values. */
    selection: selection.filter(([word = '', value]) => value !== undefined || !takesTarget.includes(word)),
  };
}

/** Or a function in one: `job.py::train`. */
export function isPythonFile(word = ''): boolean {
  return /\.py(::|$)/.test(word);
}

/** Each word; a global flag with the word that is its value. */
export function* withValues(words: readonly string[]): Generator<readonly string[]> {
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
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const { path } = readTypedCommand(argv);
  const isValue = (at: number) => takesValue.includes(argv[at - 1] ?? '') || /^--[\w-]+$/.test(argv[at - 1] ?? '');
  const last = argv.lastIndexOf(path.at(-1) ?? '', end);
  const found = argv.flatMap((each, at) => (each === word && at > last ? [at] : []));
  const at = found.find((place) => !isValue(place)) ?? found[0];
  const words = (typed: readonly string[]) => typed.map((text) => ({ text }));
  const [before, after] = at === undefined ? [last + 1, last + 1] : [at, at + 1];
  return arrangeCommand([
    ...words(argv.slice(0, before)),
    { text: operand, isValue: true, isOfFlag: false },
    ...words(argv.slice(after)),
  ]);
}
