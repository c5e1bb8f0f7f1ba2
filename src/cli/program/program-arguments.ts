import { Command as Commander, type Option } from 'commander';

export interface DividedLine {
  words: string[];
  /** What follows the file of `gantry run`; undefined for other commands. */
  programArguments?: string[];
}

/** What follows the file of `gantry run` is for the program; `--json` and `--help` apply at any position. */
export async function divideLine(program: Commander, words: string[]): Promise<DividedLine> {
  const at = findOperand(words, 0, program.options);
  if (words[at] !== 'run') return { words };
  const command = new Commander();
  (await import('../commands/run.ts')).default.configure(command as never);
  const file = findOperand(words, at + 1, [...program.options, ...command.options]);
  if (file === words.length) return { words };
  const programArguments = words.slice(file + 1);
  const end = programArguments.indexOf('--');
  const globalWords = (end < 0 ? programArguments : programArguments.slice(0, end)).filter(isForAnyPosition);
  return { words: [...words.slice(0, at + 1), ...globalWords, ...words.slice(at + 1, file + 1)], programArguments };
}

const isForAnyPosition = (word: string) => /^(--json(=.*)?|--help|-h)$/s.test(word);

/** The index of the first word from `start` on that is neither a flag nor the value of one. */
function findOperand(words: readonly string[], start: number, options: readonly Option[]): number {
  for (let at = start; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return at + 1;
    if (!word.startsWith('-') || word === '-') return at;
    const option = options.find(({ long, short }) => word === long || word === short);
    if (option?.required) at += 1;
  }
  return words.length;
}
