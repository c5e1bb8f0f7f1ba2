import { stripVTControlCharacters } from 'node:util';

let stringWidth: typeof import('string-width').default | undefined;

/** How many columns a text takes on a terminal. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  // The tables of all that is wide take a third of the time Node needs to start: loaded when they are needed.
  stringWidth ??= (require('string-width') as typeof import('string-width')).default;
  return stringWidth(plain);
}
