import { CommandLine, gantryCommand } from '../command-line.ts';
import { exitCodes, type FileLocation, GantryError, type Problem, ProjectError, UnavailableError } from '../errors.ts';
import { displayWidth } from './display-width.ts';
import { count, cutText } from './format.ts';
import { KnownSecrets } from './known-secrets.ts';
import type { Page } from './page.ts';
import { redact } from './redact.ts';
import { redactValue } from './redacted-json.ts';
import { sanitize, stripControlSequences } from './sanitize.ts';
import { systemErrorReason } from './system-error.ts';

/** The text of an error: what happened, where, why, and the next command to type. */
export function failureText(error: unknown, page: Page, debug: boolean): string {
  const parts = error instanceof ProjectError ? problemsText(error, page) : [blockText(asProblem(error), page)];
  if (error instanceof GantryError && error.facts.requestId) {
    parts.push(`${page.style.dim('  request')} ${error.facts.requestId}`);
  }
  if (debug && error instanceof Error) parts.push(page.style.dim(stackOf(error)));
  return sanitize(parts.join('\n'), page);
}

/** The same for a program: the one `{"error": …}` document of `--json`. */
export function failureJson(error: unknown, secrets = new KnownSecrets()): { error: Record<string, unknown> } {
  const { message, why, fix } = asProblem(error);
  const exit = error instanceof GantryError ? error.exit : 'bug';
  const facts = error instanceof GantryError ? error.facts : {};
  const document = {
    error: {
      code: exit,
      message,
      why,
      fix: fix?.toString(),
      next: fix instanceof CommandLine ? fix.argv : undefined,
      exitCode: error instanceof GantryError ? error.exitCode : exitCodes.bug.code,
      status: facts.status,
      requestId: facts.requestId,
      retryable: facts.retryable ?? (exit === 'unavailable' || exit === 'rate-limited'),
      retryAfterMs: facts.retryAfterMs,
      details: error instanceof ProjectError ? { ...facts.details, problems: error.problems } : facts.details,
    },
  };
  return redactValue(document, secrets);
}

/** A problem of the user's files: one headline, then the place, the reason and the cure where they are known. */
export function problemText(problem: Problem, page: Page): string {
  return sanitize(blockText(problem, page), page);
}

/** What GitHub Actions shows on the line of a file; written to stderr. */
export function workflowAnnotation({ severity, place, message, fix }: Problem, secrets = new KnownSecrets()): string {
  const where = place ? ` file=${inProperty(place.file)},line=${place.line},col=${place.column}` : '';
  const said = fix ? `${message}. Fix: ${fix}` : message;
  return `::${severity}${where}::${stripControlSequences(inCommand(redact(said, secrets)), false)}`;
}

/** What a runner reads as the end of a command, escaped. */
function inCommand(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function inProperty(text: string): string {
  return inCommand(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

/** Each problem, and a last line that counts them when there are several. */
function problemsText({ problems }: ProjectError, page: Page): string[] {
  const blocks = problems.map((problem) => blockText(problem, page));
  if (problems.length < 2) return blocks;
  const found = (severity: string) => problems.filter((problem) => problem.severity === severity).length;
  return [...blocks, `${count(found('error'), 'error')}, ${count(found('warning'), 'warning')}`];
}

function asProblem(error: unknown): Problem {
  if (error instanceof GantryError) {
    // No status: nobody answered. What is wrong on the way there, doctor finds.
    const unreached = error instanceof UnavailableError && error.facts.status === undefined;
    const { why, ...facts } = error.facts;
    const said = {
      ...(unreached && { fix: gantryCommand`doctor` }),
      ...facts,
      ...(why && { why: systemErrorReason(why) }),
    };
    return { severity: 'error', message: error.message, ...said };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    severity: 'error',
    message: `something unexpected happened: ${message}`,
    why: 'this is a mistake in gantry, not in what you typed',
    fix: 'run it again with --debug and report what it prints',
  };
}

function blockText({ severity, message, place, why, fix }: Problem, { style, columns }: Page): string {
  const title = severity === 'error' ? style.red(style.bold('error:')) : style.yellow(style.bold('warning:'));
  const lines = [`${title} ${message}`];
  if (place) lines.push(...placeLines(place, columns).map((line) => line));
  if (why) lines.push(labelled(style.dim('why'), why));
  if (fix) lines.push(labelled(style.dim('fix'), String(fix)));
  return lines.join('\n');
}

function labelled(label: string, said: string): string {
  return `  ${label} ${said.replace(/\n/g, '\n      ')}`;
}

function placeLines(place: FileLocation, columns: number): string[] {
  const { before, marked, after } = excerpt(place, Math.min(columns, 120) - 16);
  const number = String(place.line);
  const margin = `      ${' '.repeat(number.length)} | `;
  return [
    `  in  ${place.file}:${place.line}:${place.column}`,
    `      ${number} | ${before}${marked}${after}`,
    `${margin}${' '.repeat(displayWidth(before))}${'^'.repeat(Math.max(1, displayWidth(marked)))}`,
  ];
}

/** The part of the line around the mark that fits, tabs as spaces so that the caret stands below it. */
function excerpt({ text, column, length }: FileLocation, room: number) {
  const plain = (part: string) => part.replace(/\t/g, '  ');
  const marked = plain(text.slice(column - 1, column - 1 + length)).slice(0, room);
  const before = plain(text.slice(0, column - 1));
  const after = plain(text.slice(column - 1 + length));
  const kept = Math.max(0, room - marked.length);
  const start = before.length > kept ? `…${before.slice(before.length - kept + 1)}` : before;
  return { before: start, marked, after: cutText(after, Math.max(0, kept - start.length)) };
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
