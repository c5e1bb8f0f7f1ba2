import type { Page } from './page.ts';
import { redact } from './redact.ts';

/** Most texts: there is nothing to look for in them. */
const plain = /^[\t\n -~]*$/;
/** A string (OSC, DCS, APC, PM, SOS) sets titles, links, clipboards. An unfinished one ends at an escape or a line end. */
const string =
  /(?:\u001b[\]P^_X]|[\u009d\u0090\u009e\u009f\u0098])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|(?=[\u001b\n])|$)/;
/** CSI sequences but colors (`ESC [ … m`): cursor movement, clearing, modes. */
const control = /(?:\u001b\[(?![\d;:]*m)|\u009b)[0-?]*[ -/]*[@-~]?/;
/** Two-byte escapes, lone control characters but tab and newline, and marks that turn the direction of text. */
const other =
  /\u001b(?!\[)[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|[\u202a-\u202e\u2066-\u2069]/;
/** One pass from left to right, as a terminal reads: removing one sequence never makes another out of what is around it. */
const unwanted = new RegExp([string, control, other].map(({ source }) => source).join('|'), 'g');
const colors = /\u001b\[[\d;:]*m/g;

/** What decides how text is made safe for a page. */
type SanitizeTarget = Pick<Page, 'colored' | 'githubActions' | 'secrets'>;

/**
 * Makes text safe to print: it cannot control the terminal or a workflow runner, and it holds no secret. Everything that
 * gantry prints goes through here, except answers that the user asked to see unchanged.
 */
export function sanitize(text: string, page: SanitizeTarget): string {
  return sanitizeUnredacted(withoutSecrets(stripControlSequences(text, page.colored), page), page);
}

/** The same, with its secrets: for answers that the user asked for. */
export function sanitizeUnredacted(
  text: string,
  { colored, githubActions }: Pick<Page, 'colored' | 'githubActions'>,
): string {
  const safe = stripControlSequences(text, colored);
  return githubActions ? escapeWorkflowCommands(safe) : safe;
}

/** Colors within a secret must not save it: then all colors of the text are dropped. */
function withoutSecrets(text: string, { secrets }: SanitizeTarget): string {
  const safe = redact(text, secrets);
  if (!text.includes('\u001b')) return safe;
  const bare = text.replace(colors, '');
  const safeBare = redact(bare, secrets);
  return safeBare === bare || safe.replace(colors, '') === safeBare ? safe : safeBare;
}

/** No titles, cursor movement, bells; colors stay where they are wanted. */
export function stripControlSequences(text: string, colored: boolean): string {
  if (plain.test(text)) return text;
  const safe = text.replace(unwanted, '');
  return colored ? safe : safe.replace(colors, '');
}

/** A GitHub runner obeys `::commands` at the start of a line and `##[commands]` anywhere; colors do not hide them. */
export function escapeWorkflowCommands(text: string): string {
  return text.replace(atLineStart, '$1: ').replace(anywhere, '# ');
}

/** Only the spaces of the same line: with those of other lines, each of many empty lines would look at all the rest. */
const atLineStart = /^((?:[^\S\n\r\u2028\u2029]|\u001b\[[\d;:]*m)*):(?=(?:\u001b\[[\d;:]*m)*:)/gm;
const anywhere = /#(?=(?:\u001b\[[\d;:]*m)*#(?:\u001b\[[\d;:]*m)*\[)/g;
