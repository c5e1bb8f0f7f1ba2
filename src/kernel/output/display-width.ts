import { stripVTControlCharacters } from 'node:util';

let stringWidth: typeof import('string-width').default | undefined;

/** The columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  // Loaded on demand: its tables take a third of the start-up time of Node.
  stringWidth ??= (require('string-width') as typeof import('string-width')).default;
  return stringWidth(plain);
}
