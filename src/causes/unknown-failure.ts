import { cutText } from '../kernel/output/format.ts';
import { cleanLines } from './log-text.ts';
import { endsSurely, endsWell, goesOnSince, relevantLines } from './relevant-lines.ts';
import type { FailureFacts } from './rule.ts';
import { decisive, findTracebacks, findUncaught, raisedAt, type Traceback } from './tracebacks.ts';

/** What can be said about a failure that no rule knows. */
export interface UnknownFailure {
  /** Null if the log shows no failure. */
  cause: 'unknown' | null;
  title: string;
  /** The lines of the log that show most. */
  log: string[];
}

const shownLines = 20;
const shownCharacters = 400;

/** The last traceback of a log; else the lines that speak of an error; else its end. */
export function describeUnknown(log: string, facts: Partial<FailureFacts> = {}): UnknownFailure {
  const { reason = '', status, statusCode } = facts;
  const all = cleanLines(log);
  const isCalm = () => endsSurely(all) || !all.some(({ text }) => failed.test(text));
  if (reason === '' && status === undefined && endsWell(all) && isCalm())
    return { cause: null, title: 'the log shows no failure: it ends well', log: [] };
  const lines = relevantLines(all).map(({ text }) => text);
  if (reason === '' && status === undefined && goesOnSince(all) !== undefined) {
    const said = lastErrorLine(lines);
    const after = said === undefined ? '' : `, after ${said}`;
    return { cause: null, title: `the log shows no failure: the app goes on answering${after}`, log: [] };
  }
  return { cause: 'unknown', ...describe(lines, reason, statusCode) };
}

function describe(lines: readonly string[], reason: string, statusCode?: number): Omit<UnknownFailure, 'cause'> {
  const traceback = decisive(findTracebacks(lines));
  const reasons = reason.split('\n');
  if (traceback) {
    const { start, end } = traceback;
    return { title: titleOf(traceback, lines), log: shorten([...lines.slice(start, end + 3), ...reasons]) };
  }
  const isCall = statusCode !== undefined && statusCode >= 400;
  // What the app itself says of a request is the cause.
  const isAnswer = isCall && statusCode < 500 && reason !== '' && reasons.length === 1;
  if (isAnswer)
    return { title: `the app refused the call with ${statusCode}: ${reason}`, log: shorten(errorsOf(lines)) };
  const meaning = statusCode === 422 ? ': the app does not accept its parameters' : '';
  const returned = isCall ? `; the call returned ${statusCode}${meaning}` : '';
  // Without a log, what was answered is all that is known.
  const isAll = reason !== '' && reasons.length === 1 && lines.every((line) => line.trim() === '');
  const said = isAll ? reason : lastError(lines);
  return { title: `${said}${returned}`, log: isAll ? [] : shorten([...errorsOf(lines), ...reasons]) };
}

function lastError(lines: readonly string[]): string {
  const { error, place } = findUncaught(lines) ?? {};
  if (error !== undefined) return `the app raised ${cutText(error, 240)}${place === undefined ? '' : ` at ${place}`}`;
  const said = lastErrorLine(lines.slice(-shownLines));
  return `no known cause matches${said === undefined ? '' : `; the last error is: ${said}`}`;
}

function lastErrorLine(lines: readonly string[]): string | undefined {
  const isError = (line: string) => failed.test(line) && !calm.test(line) && !request.test(line) && !frame.test(line);
  const said = lines.findLast(isError);
  return said && cutText(said.trim(), 240);
}

function titleOf({ start, end, exception }: Traceback, lines: readonly string[]): string {
  const place = raisedAt(lines.slice(start, end));
  const shown = cutText(exception, 240);
  return place === undefined ? `the app raised ${shown}` : `the app raised ${shown} at ${place}`;
}

const failed = /\b(?:error|exception|fatal|panic(?:ked)?|critical|failed|abort(?:ed)?)\b/i;
/** Requests that failed at a gateway follow from the failure of the app. */
const request = /"?\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) {1,4}"?\/|\b50[234]\b/;

const calm = /\b(?:WARN(?:ING)?|[Ww]arning|INFO|DEBUG|0 errors|no errors?|retry|skipp\w{2,4})\b/;

/** What an engine and a shell print around a command. */
const frame =
  /^\s*(?:-{3,}|> \[|\d{1,6} \| |>>> |(?:ERROR: )?(?:failed to solve|process "|executor failed)|The command '|Dockerfile:\d|Step \d|STEP \d|---> |\[\S{0,60} ?\d{1,3}\/\d{1,3}\]|COPY |RUN |\+ |make(?:\[\d\])?: \*\*\*|npm (?:ERR!|error) (?:code|errno|path|command|A complete log)|\[?notice\]?|WARNING: (?:Running pip|You are using pip)|INFO|status |exit code )|\bexited with code \d|^\W*$/;

/** What was said last before the work ended: of an error, if anything was. */
export function lastWords(lines: readonly string[]): string | undefined {
  const said = lines.filter((line) => !frame.test(line));
  return (said.findLast((line) => failed.test(line) && !request.test(line)) ?? said.at(-1))?.trim();
}

/** With errors above the end of the log, some of them and what follows; else only the end. */
function errorsOf(lines: readonly string[]): string[] {
  const full = lines.filter((line) => line.trim() !== '');
  const isError = (line: string) => failed.test(line) && !request.test(line);
  const end = full.slice(-shownLines);
  if (end.some(isError)) return end;
  const above = full.filter(isError).slice(-shownLines / 2);
  return above.length === 0 ? end : [...above, ...end.slice(-shownLines / 2)];
}

function shorten(lines: readonly string[]): string[] {
  const full = lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  const shown = full.length > shownLines ? [...full.slice(0, 3), '…', ...full.slice(4 - shownLines)] : full;
  return shown.map((line) => cutText(line, shownCharacters));
}
