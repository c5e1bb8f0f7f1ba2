import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

/** Columns that a line takes on a terminal, its colours aside. */
export function widthOf(line: string): number {
  return stringWidth(stripVTControlCharacters(line));
}
