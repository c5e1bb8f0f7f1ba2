import { stripVTControlCharacters } from 'node:util';

/** OSC, DCS, APC, PM and SOS strings: titles, links, clipboards. Unterminated ones reach to the end of the line. */
const strings =
  /(?:\u001b[\]P^_X]|[\u009d\u0090\u009e\u009f\u0098])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|(?=\n)|$)/g;
/** CSI sequences other than colours (those end in `m`): cursor movement, clearing, modes. */
const controls = /(?:\u001b\[|\u009b)(?![\d;:]*m)[0-?]*[ -/]*[@-~]?/g;
/** Two-byte escapes, then lone control characters but tab and newline. */
const leftovers =
  /\u001b(?!\[)[ -/]*[0-~]?|\u001b(?!\[[\d;:]*m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

/**
 * Makes text of a server or an app safe to show: no titles, cursor movement, bells; colours stay where they are
 * wanted (conventions §1.6).
 */
export function clean(text: string, colored: boolean): string {
  const safe = text.replace(strings, '').replace(controls, '').replace(leftovers, '');
  return colored ? safe : stripVTControlCharacters(safe);
}

/** A remote line that starts like a GitHub workflow command would be obeyed by the runner; a space defuses it. */
export function defuse(text: string): string {
  return text.replace(/^(\s*)(::|##\[)/gm, '$1 $2');
}

/** Never shown: bearer tokens, JWTs, and the query of a signed link (conventions §3). */
export function redact(text: string): string {
  return text
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]')
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [hidden]')
    .replace(/(https?:\/\/[^\s"'?]+)\?[^\s"']*(?:Signature|Credential|Security-Token|token)=[^\s"']*/gi, '$1?[hidden]');
}
