import { Command as Commander, type Option } from 'commander';
import { endOfOwn, formsOf, readWords } from './read-words.ts';

export interface DividedLine {
  words: string[];
  /** What follows the file of `gantry run`; undefined for other commands. */
  programArguments?: string[];
}

/** What follows the file of `gantry run` is for the program; `--json` and `--help` apply at any position. */
export async function divideLine(program: Commander, words: string[]): Promise<DividedLine> {
  const at = findOperand(words, program.options);
  if (words[at] !== 'run') return { words };
  const command = new Commander();
  (await import('../commands/run.ts')).default.configure(command as never);
  const file = at + 1 + findOperand(words.slice(at + 1), [...program.options, ...command.options]);
  if (file >= words.length) return { words };
  const programArguments = words.slice(file + 1);
  const globalWords = programArguments.slice(0, endOfOwn(programArguments)).filter(isForAnyPosition);
  return { words: [...words.slice(0, at + 1), ...globalWords, ...words.slice(at + 1, file + 1)], programArguments };
}

const isForAnyPosition = (word: string) => /^(--json(=.*)?|--help|-h)$/s.test(word);

/** The index of the first word that is neither a flag nor the value of one. */
function findOperand(words: readonly string[], options: readonly Option[]): number {
  return readWords(words, formsOf(options)).find(({ name }) => name === undefined)?.at ?? endOfOwn(words) + 1;
}
