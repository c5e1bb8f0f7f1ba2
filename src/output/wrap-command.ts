import { displayWidth } from './display-width.ts';

/**
 * A shell command on several lines that continue with a backslash, so that it can be copied from a narrow terminal. A
 * word that is wider than the terminal stays whole.
 */
export function wrapCommand(command: string, columns: number): string {
  if (displayWidth(command) <= columns) return command;
  const words = command.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const current = lines.at(-1);
    const longer = current === undefined ? word : `${current} ${word}`;
    if (current === undefined || displayWidth(longer) > columns - continued.length) {
      lines.push(current === undefined ? word : `  ${word}`);
    } else lines[lines.length - 1] = longer;
  }
  return lines.join(`${continued}\n`);
}

const continued = ' \\';
