import type { Page } from './page.ts';

/** Most texts: there is nothing to look for in them. */
const plain = /^[\t\n -~]*$/;
/** OSC, DCS, APC, PM and SOS strings: titles, links, clipboards. Unterminated ones reach to the end of the line. */
const strings =
  /(?:\u001b[\]P^_X]|[\u009d\u0090\u009e\u009f\u0098])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|(?=\n)|$)/g;
/** CSI sequences other than colours (those end in `m`): cursor movement, clearing, modes. */
const controls = /(?:\u001b\[|\u009b)(?![\d;:]*m)[0-?]*[ -/]*[@-~]?/g;
/** Two-byte escapes, then lone control characters but tab and newline. */
const leftovers =
  /\u001b(?!\[)[ -/]*[0-~]?|\u001b(?!\[[\d;:]*m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;
/** All that may be left of escapes then. Node's own stripping knows fewer forms. */
const colors = /\u001b\[[\d;:]*m/g;
/** Marks that turn the direction of text, so that `exe.txt` reads `txt.exe`. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes text fit to be shown on this page: nothing in it can steer the terminal, whoever wrote it, or command the
 * runner of a workflow, and no secret is in it (conventions §1.6, §3).
 */
export function shown(text: string, { colored, githubActions }: Pick<Page, 'colored' | 'githubActions'>): string {
  const safe = clean(text, colored);
  return githubActions ? defuse(safe) : safe;
}

/** No titles, cursor movement, bells; colours stay where they are wanted. */
export function clean(text: string, colored: boolean): string {
  if (plain.test(text)) return text;
  const safe = text.replace(strings, '').replace(controls, '').replace(leftovers, '').replace(directions, '');
  return colored ? safe : safe.replace(colors, '');
}

/** A GitHub runner obeys `::commands` at the start of a line and `##[commands]` anywhere; colours do not hide them. */
export function defuse(text: string): string {
  return text.replace(atLineStart, '$1: ').replace(anywhere, '# ');
}

const atLineStart = /^((?:\s|\u001b\[[\d;:]*m)*):(?=(?:\u001b\[[\d;:]*m)*:)/gm;
const anywhere = /#(?=(?:\u001b\[[\d;:]*m)*#(?:\u001b\[[\d;:]*m)*\[)/g;

/** Never shown: bearer tokens, JWTs, and the query of a signed link (conventions §3). */
export function redact(text: string): string {
  return text
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]')
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [hidden]')
    .replace(/(https?:\/\/[^\s"'?]+)\?[^\s"']*(?:Signature|Credential|Security-Token|token)=[^\s"']*/gi, '$1?[hidden]');
}
