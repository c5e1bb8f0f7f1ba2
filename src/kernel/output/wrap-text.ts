import { stripVTControlCharacters } from 'node:util';
import { once } from '../once.ts';

/**
 * The lines of a text, broken between words so that none is wider than a number of columns; those that continue one are
 * indented like it, or by `hang`. A word that is wider, such as a URL, and a command, also at the end of a line, stay
 * whole: broken they could not be copied.
 */
export function wrapText(text: string, width: number, hang?: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(20, width), hang));
}

function wrapLine(line: string, width: number, hang?: number): string[] {
  // No character is wider than two columns: most lines need not be measured.
  if (line.length * 2 <= width || wholeCommand.test(line) || displayWidth(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const margin = ' '.repeat(hang ?? indent.length);
  const lines: string[] = [];
  const [, sentence = line, command] = endingInCommand.exec(line) ?? [];
  let [current = '', ...words] = sentence.slice(indent.length).split(betweenWords);
  if (command) words.push(command);
  current = indent + current;
  for (const word of words) {
    const longer = `${current} ${word}`;
    if (displayWidth(longer) <= width) current = longer;
    else {
      lines.push(current.trimEnd());
      current = margin + word;
    }
  }
  return [...lines, current];
}

/** How an app is called with curl, which may get the token from `printf`. */
const wholeCommand = /^(printf .+ \| )?curl /;

/** `the run continues; to follow it: gantry logs web --run r-1 -f` */
const endingInCommand = /^(.*:) (gantry [^,;]+)$/;

const betweenWords = / (?!(?:ms|s|B|[KMGT]iB|GB|%)(?!\w))/;

/** Its tables take a third of the start-up time of Node. */
const stringWidth = once(() => (require('string-width') as typeof import('string-width')).default);

/** The columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  return stringWidth()(plain);
}
