import type { Page } from './page.ts';
import { redact } from './redact.ts';

/** Most texts need no sanitizing. */
const plain = /^[\t\n -~]*$/;
/** Control strings (OSC, DCS, APC, PM, SOS) set titles, links, clipboards. Unfinished ones end at an escape or newline. */
const controlString =
  /(?:\u001b[\]P^_X]|[\u009d\u0090\u009e\u009f\u0098])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|(?=[\u001b\n])|$)/;
/** CSI sequences other than colors (`ESC [ … m`): cursor movement, clearing, modes. */
const controlSequence = /(?:\u001b\[(?![\d;:]*m)|\u009b)[0-?]*[ -/]*[@-~]?/;
/** Two-byte escapes, control characters other than tab and newline, and marks that change the direction of text. */
const otherControl =
  /\u001b(?!\[)[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|[\u202a-\u202e\u2066-\u2069]/;
/** One pass from left to right, as a terminal reads: removing a sequence never creates another one. */
const unwanted = new RegExp([controlString, controlSequence, otherControl].map(({ source }) => source).join('|'), 'g');
const colors = /\u001b\[[\d;:]*m/g;

type SanitizeTarget = Pick<Page, 'colored' | 'githubActions' | 'secrets'>;

/** Text without secrets that cannot control a terminal or a runner. All but raw results passes here. */
export function sanitize(text: string, page: SanitizeTarget): string {
  return sanitizeUnredacted(redactColored(stripControlSequences(text, page.colored), page), page);
}

/** Sanitizes without redacting, for verbatim results. */
export function sanitizeUnredacted(text: string, { colored, githubActions }: Pick<Page, 'colored' | 'githubActions'>) {
  const safe = stripControlSequences(text, colored);
  return githubActions ? escapeWorkflowCommands(safe) : safe;
}

/** A secret with colors inside is redacted, too; the text then loses all colors. */
function redactColored(text: string, { secrets }: SanitizeTarget): string {
  const safe = redact(text, secrets);
  if (!text.includes('\u001b')) return safe;
  const bare = text.replace(colors, '');
  const safeBare = redact(bare, secrets);
  return safeBare === bare || safe.replace(colors, '') === safeBare ? safe : safeBare;
}

export function stripControlSequences(text: string, colored: boolean): string {
  if (plain.test(text)) return text;
  const safe = text.replace(unwanted, '');
  return colored ? safe : safe.replace(colors, '');
}

/** GitHub runners obey `::commands` at the start of a line and `##[commands]` anywhere, also with colors between. */
export function escapeWorkflowCommands(text: string): string {
  return text.replace(atLineStart, '$1: ').replace(anywhere, '# ');
}

/** Matches spaces of the same line only: matching newlines would take quadratic time for many empty lines. */
const atLineStart = /^((?:[^\S\n\r\u2028\u2029]|\u001b\[[\d;:]*m)*):(?=(?:\u001b\[[\d;:]*m)*:)/gm;
const anywhere = /#(?=(?:\u001b\[[\d;:]*m)*#(?:\u001b\[[\d;:]*m)*\[)/g;
