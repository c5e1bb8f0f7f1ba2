import { relative, resolve, sep } from 'node:path';
import { CommandLine } from '../command-line.ts';
import { type FileLocation, type GantryError, isTransient, type Problem, ProjectError } from '../errors.ts';
import { count, cutText } from './format.ts';
import { KnownSecrets } from './known-secrets.ts';
import type { Page } from './page.ts';
import { redact } from './redact.ts';
import { redactValue } from './redacted-json.ts';
import { sanitize, stripControlSequences } from './sanitize.ts';
import { systemErrorReason } from './system-error.ts';
import { displayWidth, wrapText } from './wrap-text.ts';

export function failureText(error: GantryError, page: Page, debug: boolean): string {
  const parts = error instanceof ProjectError ? problemsParts(error, page) : errorParts(error, page);
  const { requestId, details } = error.facts;
  if (requestId) {
    // The request that calls an app is its run.
    const label = details?.run === requestId ? '  run' : '  request';
    parts.push({ text: `${page.style.dim(label)} ${requestId}` });
  }
  if (debug) parts.push({ text: page.style.dim(stackOf(error)) });
  return wrapParts(parts, page);
}

export type FailureDocument = ReturnType<typeof failureJson>;

/** `warnings`: of what stderr was warned before. */
export function failureJson(error: GantryError, secrets = new KnownSecrets(), warnings: readonly Problem[] = []) {
  const { message, why, fix } = toProblem(error);
  const { facts } = error;
  const document = {
    error: {
      code: error.exit,
      message,
      why,
      fix: fix?.toString(),
      next: facts.next === undefined && fix instanceof CommandLine ? fix.argv : facts.next?.argv,
      exitCode: error.exitCode,
      statusCode: facts.status,
      requestId: facts.requestId,
      retryable: isTransient(error),
      retryAfterMs: facts.retryAfterMs,
      details: detailsOf(error),
    },
    ...(warnings.length > 0 && { warnings }),
  };
  return redactValue(document, secrets);
}

function detailsOf(error: GantryError) {
  const { details, location } = error.facts;
  if (error instanceof ProjectError) return { ...details, problems: error.problems };
  return location ? { ...details, location } : details;
}

/** What a pipeline fails for: problems of the app's files, or what became of a build. */
export function annotatedProblems({ error }: FailureDocument): readonly Problem[] {
  const { problems, ...details } = (error.details ?? {}) as FailureReason & { problems?: Problem[] };
  if (problems) return problems;
  if (!['build-failed', 'not-ready', 'conflict', 'pending'].includes(error.code)) return [];
  const { reason, fix = error.fix, location } = causeOf(error.message, details);
  return [{ severity: 'error', message: [error.message, reason].filter(Boolean).join(': '), fix, location }];
}

/** What is known of a failure beside its message, in `details`. */
export interface FailureReason {
  reason?: string | null | undefined;
  explanation?: { title: string; fix: string; location: FileLocation | null };
}

/** Why something failed, unless its message says so: its cause, if that is known. */
export function causeOf(message: string, { reason, explanation }: FailureReason) {
  const { title = reason ?? '', fix, location } = explanation ?? {};
  return { reason: message.includes(title) ? undefined : title, fix, location: location ?? undefined };
}

/** The text of a problem in the user's files. `label` is its first word. */
export function problemText(problem: Problem, page: Page, label: string = problem.severity): string {
  return wrapParts(problemParts(problem, page, label), page);
}

interface FailurePart {
  text: string;
  /** A line break inside of a command would make it another command when it is copied. */
  isCommand?: boolean;
}

/** Cleaned before it is wrapped: a line break would hide a secret from the search for it. */
function wrapParts(parts: readonly FailurePart[], page: Page): string {
  return parts
    .map(({ text, isCommand }) => (isCommand ? sanitize(text, page) : wrapLines(sanitize(text, page), page)))
    .join('\n');
}

/** What continues a line stands below its text, not below its label. A line of source is never continued. */
function wrapLines(text: string, page: Page): string {
  const hangOf = (line: string) => (stripControlSequences(line, false).startsWith('  ') ? '  why '.length : 2);
  return text
    .split('\n')
    .flatMap((line) => wrapText(line, page.columns, hangOf(line)))
    .join('\n');
}

export interface AnnotationRoots {
  cwd: string;
  workspace: string;
}

/** The GitHub workflow command that annotates a line of a file. */
export function workflowAnnotation(
  { severity, location, message, fix }: Problem,
  roots: AnnotationRoots,
  secrets = new KnownSecrets(),
): string {
  const where = location
    ? ` file=${escapeProperty(pathInWorkspace(location.file, roots))},line=${location.line},col=${location.column}`
    : '';
  const text = fix ? `${message.replace(/(?<![.?])$/, '.')} Fix: ${fix}` : message;
  return `::${severity}${where}::${stripControlSequences(escapeCommand(redact(text, secrets)), false)}`;
}

/** A file outside of the workspace keeps its path: GitHub shows its annotation without a place. */
function pathInWorkspace(file: string, { cwd, workspace }: AnnotationRoots): string {
  const path = relative(workspace, resolve(cwd, file)).split(sep).join('/');
  return path.startsWith('..') ? file : path;
}

function escapeCommand(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}

function escapeProperty(text: string): string {
  return escapeCommand(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

function problemsParts({ problems }: ProjectError, page: Page): FailurePart[] {
  const parts = problems.flatMap((problem) => problemParts(problem, page));
  if (problems.length < 2) return parts;
  const total = (severity: string) => problems.filter((problem) => problem.severity === severity).length;
  return [...parts, { text: `${count(total('error'), 'error')}, ${count(total('warning'), 'warning')}` }];
}

/** With a cause, it ends in four lines: the cause, its place, what helps, and where the log is. */
function errorParts(error: GantryError, page: Page): FailurePart[] {
  const problem = toProblem(error);
  const { explained } = error.facts;
  if (!explained) return problemParts(problem, page);
  const { fix: log, ...shown } = problem;
  const { dim, bold } = page.style;
  const lines = [
    `${bold('cause:')} ${explained.title}`,
    labeled(dim('in '), explained.place),
    labeled(dim('fix'), explained.fix),
  ];
  const logLines = log ? [{ text: labeled(dim('log'), String(log)), isCommand: true }] : [];
  return [...problemParts(shown, page), { text: lines.join('\n') }, ...logLines];
}

function toProblem({ message, facts: { cause: _, refused, why = refused, ...facts } }: GantryError): Problem {
  return { severity: 'error', message, ...facts, ...(why && { why: systemErrorReason(why) }) };
}

function problemParts(
  { severity, message, location, why, fix }: Problem,
  { style, columns }: Page,
  label: string = severity,
): FailurePart[] {
  const color = severity === 'error' ? style.red : style.yellow;
  const title = color(style.bold(`${label}:`));
  const lines = [`${title} ${message}`];
  if (location) for (const line of locationLines(location, columns)) lines.push(line);
  if (why) lines.push(labeled(style.dim('why'), why));
  const parts: FailurePart[] = [{ text: lines.join('\n') }];
  if (fix) parts.push({ text: labeled(style.dim('fix'), String(fix)), isCommand: fix instanceof CommandLine });
  return parts;
}

function labeled(label: string, text: string): string {
  return `  ${label} ${text.replace(/\n/g, '\n      ')}`;
}

function locationLines(location: FileLocation, columns: number): string[] {
  const { before, marked, after } = excerpt(location, Math.min(columns, 120) - 16);
  const number = String(location.line);
  const margin = `      ${' '.repeat(number.length)} | `;
  return [
    `  in  ${location.file}:${location.line}:${location.column}`,
    `      ${number} | ${before}${marked}${after}`,
    `${margin}${' '.repeat(displayWidth(before))}${'^'.repeat(Math.max(1, displayWidth(marked)))}`,
  ];
}

/** The part of the line around the mark that fits in `width` columns. Tabs become spaces to align the caret. */
function excerpt({ text, column, length }: FileLocation, width: number) {
  const plain = (part: string) => part.replace(/\t/g, '  ');
  const marked = plain(text.slice(column - 1, column - 1 + length)).slice(0, width);
  const before = plain(text.slice(0, column - 1));
  const after = plain(text.slice(column - 1 + length));
  const left = Math.max(0, width - marked.length);
  const start = before.length > left ? `…${before.slice(before.length - left + 1)}` : before;
  return { before: start, marked, after: cutText(after, Math.max(0, left - start.length)) };
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
