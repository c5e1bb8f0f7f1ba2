import { displayWidth } from './display-width.ts';

/**
 * A shell command on several lines that continue with a backslash, so that it can be copied from a narrow terminal. A
 * word that is wider than the terminal stays whole.
 */
export function wrapCommand(command: string, columns: number): string {
  if (displayWidth(command) <= columns) return command;
  const [program = '', ...others] = command.match(wordPattern) ?? [];
  const lines = [program];
  for (const word of others) {
    const current = lines.at(-1) ?? '';
    const longer = `${current} ${word}`;
    // A line with nothing but the program's name would save no width.
    const fits = current === program || displayWidth(longer) <= columns - continued.length;
    if (fits) lines[lines.length - 1] = longer;
    else lines.push(`  ${word}`);
  }
  return lines.join(`${continued}\n`);
}

/** A word of a shell, a short flag with its value, or a pipe with the name of the next program. */
const wordPattern = /(?:(?:-\w|\|) )?(?:'[^']*'|[^\s'])+/g;
const continued = ' \\';
