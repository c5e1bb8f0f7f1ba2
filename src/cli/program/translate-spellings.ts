import {
  refuseAppFlag,
  refuseCommand,
  refuseExtraWord,
  refuseFlag,
  refuseForeignCommand,
  refuseHabitFlags,
} from './refuse-spellings.ts';
import { commandFlags, commandSpellings, flagSpellings, helpSpellings, switches } from './spellings.ts';
import { rewriteOperands, type Translation, takeToken } from './translate-operands.ts';
import { commandOf, findName, positionals, splitFlag } from './words.ts';

/**
 * Translates a command line that gantry could not parse. Returns undefined if the official client spells nothing in it
 * otherwise. Throws UsageError, with what to type, if gantry has nothing that means the same.
 */
export function translateSpellings(argv: readonly string[], hasExtraWord = false): Translation | undefined {
  const { own, rest } = splitArguments(argv);
  const isHelp = own.some((word) => word === '--help' || word === '-h');
  const names = isHelp ? { ...commandSpellings, ...helpSpellings } : commandSpellings;
  const line: Translation = { argv: renameCommands(withCommandFirst(own.flatMap(splitLetters)), names), secrets: [] };
  refuseCommand(line.argv);
  takeToken(line);
  line.argv = line.argv.flatMap(flagTranslator(commandOf(line.argv)));
  if (hasExtraWord) refuseExtraWord(positionals(line.argv).map((at) => line.argv[at] ?? ''));
  rewriteOperands(line);
  refuseForeignCommand(line.argv);
  refuseAppFlag(line.argv);
  refuseHabitFlags(line.argv);
  for (const word of rest) line.argv.push(word);
  return line.argv.join('\n') === argv.join('\n') ? undefined : line;
}

/** What follows `--`, or the file of `run`, belongs to another program. */
function splitArguments(argv: readonly string[]): { own: string[]; rest: string[] } {
  const [command] = positionals(argv);
  const file = argv[command ?? -1] === 'run' ? argv.findIndex((word) => /\.py(::|$)/.test(word)) : -1;
  const end = [argv.indexOf('--'), file].filter((at) => at >= 0).sort((a, b) => a - b)[0] ?? argv.length;
  return { own: argv.slice(0, end), rest: argv.slice(end) };
}

/** `-yv` is `-y -v`. Letters that gantry knows itself need no help. */
function splitLetters(word: string): string[] {
  return /^-(?=.*v)[yqv]{2,}$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}

/** Moves the flags of a command behind it. Global flags may stay before it. */
function withCommandFirst(words: string[]): string[] {
  const [first = 0] = positionals(words);
  const before = words.slice(0, first);
  return before.some((word) => commandFlags.includes(splitFlag(word)[0])) ? [...words.slice(first), ...before] : words;
}

function renameCommands(words: string[], names: Record<string, string>): string[] {
  const found = findName(words, names);
  if (!found) return words;
  const [first = 0] = found.places;
  const others = words.filter((_, at) => at > first && !found.places.includes(at));
  // Again, because `project set` is `projects set` now.
  return renameCommands([...words.slice(0, first), ...found.entry.split(' '), ...others], names);
}

/** Returns what a word becomes; it is called with each word in turn. */
function flagTranslator(commands: readonly string[]): (word: string, at: number, words: string[]) => readonly string[] {
  const known = flagSpellings.filter(({ of }) => !of || of.some((command) => commands.includes(command)));
  let isValue = false;
  return (word, at, words) => {
    if (isValue) {
      isValue = false;
      return [];
    }
    const [name, attached] = splitFlag(word);
    const value = attached ?? words[at + 1];
    const { here } = known.find(({ names }) => names.includes(name)) ?? {};
    if (here && typeof here !== 'function') return attached === 'false' ? [] : here;
    const translated = value === undefined ? undefined : here?.(value, name);
    if (translated === undefined) {
      refuseFlag(name, value, commands);
      return switches.includes(name) && attached !== undefined ? (attached === 'false' ? [] : [name]) : [word];
    }
    isValue = attached === undefined;
    return translated;
  };
}
