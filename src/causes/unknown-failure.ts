import { cutText } from '../kernel/output/format.ts';
import { cleanLines } from './log-text.ts';
import { endsWell, goesOnSince, relevantLines } from './relevant-lines.ts';
import type { FailureFacts } from './rule.ts';

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

/** The last traceback of a log; else its end. */
export function describeUnknown(log: string, facts: Partial<FailureFacts> = {}): UnknownFailure {
  const { reason = '', status } = facts;
  const all = cleanLines(log);
  if (reason === '' && status === undefined) {
    if (endsWell(all) && errorsIn(relevantLines(all).map(({ text }) => text)).length === 0)
      return { cause: null, title: 'the log shows no failure: it ends well', log: [] };
    if (goesOnSince(all) !== undefined)
      return { cause: null, title: 'the log shows no failure: the app goes on answering', log: [] };
  }
  const lines = relevantLines(all).map(({ text }) => text);
  return { cause: 'unknown', ...describe(lines, reason, facts) };
}

function describe(
  lines: readonly string[],
  reason: string,
  { statusCode = 0, exitCode }: Partial<FailureFacts>,
): Omit<UnknownFailure, 'cause'> {
  const reasons = reason.split('\n');
  const lastLines = lines.slice(-shownLines);
  const isCall = statusCode >= 400;
  const isSaid = reason !== '' && reasons.length === 1;
  // What the app itself says of a request is the cause.
  if (isSaid && isCall && statusCode < 500)
    return { title: `the app refused the call with ${statusCode}: ${reason}`, log: shorten(lastLines) };
  // Without a log, what was answered is all that is known.
  const isAll = isSaid && lastLines.join('').trim() === '';
  const title = `${isAll ? reason : lastError(lines, exitCode)}${isCall && !exitCode ? `; the call returned ${statusCode}` : ''}`;
  return { title, log: isAll ? [] : withReasons(lastLines, reasons) };
}

function lastError(lines: readonly string[], exitCode: number | undefined): string {
  // A program that ends itself says why in its last line, if at all.
  const lastLines = lines.slice(-shownLines);
  const said = exitCode ? lastWords(lines) : lastErrorIn(lastLines);
  const what = exitCode ? `the program ended with exit code ${exitCode}` : 'no known cause matches';
  return `${what}${said ? `; the last ${exitCode ? 'line' : 'error'} is: ${cutText(said, 240)}` : ''}`;
}

const failed =
  /(?<![\w.]|\b(?:0|no|without) )(?:error|exception|fatal|panic(?:ked)?|critical(?!\))|failed|abort(?:ed)?|undefined reference)\b/i;
/** What did not work, without the word for it. */
const refused =
  /\b(?:denied|rejected|not found|[Nn]o such|[Cc]annot|[Cc]an't|[Cc]ould not|[Uu]nable to|not supported)\b/;
/** An exception by its name: one of a module needs no ending. */
export const raised =
  /^(?:(?:\w[\w.]{0,80})?(?:Error|Exception)(?: \[\w{1,60}\])?|(?:[a-z_]\w{0,60}\.){1,6}(?:[A-Z][a-z]{1,20}){2,6}(?=: ))(?:: |$)/;
/** What is only told, and requests that failed at a gateway, which follows from the failure of the app. */
const request =
  /^[\w.:[\]/ +-]{0,40}\b(?:INFO|DEBUG)\b|^I(?:\d{4} | tensorflow\/)|"?\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) {1,4}"?\/|\b50[234]\b/;

/** What an engine and a shell print around a command. */
const frame =
  /^\s*(?:-{3,}|at .{1,200}:\d{1,7}\)?$|\S{1,200}\.[cm]?js:\d{1,7}$|info |! {2,9}Push (?:failed|rejected, failed)|! \[remote rejected|error: failed to push|target \S+: failed to |Build Failed: |Error: buildx |Error: [Cc]ommand |error [Cc]ommand failed with|ERROR: "\S+" exited with|Makefile:\d|warning: |error: could not compile |> \[|\d{1,6} \||>>> |curl: \(|ERROR: pip's dependency resolver|(?:Error: )?Process completed with|(?:ERROR: )?(?:failed to (?:build: )?(?:failed to )?solve|process "|executor failed)|The command '|\S*Dockerfile\S*:\d|Step \d|STEP \d|---> |\[\S{0,60} ?\d{1,3}\/\d{1,3}\]|COPY |RUN |\+ |make(?:\[\d\])?: \*\*\*|npm (?:ERR!|error) +(?:code|errno|path|command|notice|A complete log|This is an error|Exit handler|cb\(\)|<|\/)|npm (?:ERR! cb\(|notice)|=> |\[\+\] |[\u2800-\u28ff] |The following error occurred|dependency failed to start|\[?notice\]?|WARN|INFO|DEBUG|status |exit code )|\bexited with code \d|recipe for target |\b\d+ errors? generated|^\W*$/;

/** The lines that say that something failed, without what engines and shells print around it. */
export const errorsIn = (lines: readonly string[]) =>
  lines.filter((line) => (failed.test(line) || raised.test(line)) && !request.test(line) && !frame.test(line));

/** The last line that says that something failed, or that it was refused. */
export function lastErrorIn(lines: readonly string[]): string | undefined {
  const refusal = (line: string) => refused.test(line) && !request.test(line) && !frame.test(line);
  return (errorsIn(lines).at(-1) ?? lines.findLast(refusal))?.trim();
}

/** What was said last before the work ended: of an error, if anything was. */
export function lastWords(lines: readonly string[]): string | undefined {
  // Node shows the code that raised an error, with a mark below.
  const isCode = (at: number) => /^\s{0,200}\^+\s{0,9}$/.test(lines[at + 1] ?? '');
  const isSaid = (line: string, at: number) => !frame.test(line) && !request.test(line) && !isCode(at);
  return lastErrorIn(lines) ?? lines.findLast(isSaid)?.trim();
}

/** What the platform says besides: often the end of the same log. */
function withReasons(lines: readonly string[], reasons: readonly string[]): string[] {
  return shorten([...lines, ...reasons.filter((reason) => !lines.some((line) => line.includes(reason.trim())))]);
}

function shorten(lines: readonly string[]): string[] {
  const full = lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  const kept = full.length > shownLines ? [...full.slice(0, 3), '…', ...full.slice(4 - shownLines)] : full;
  return kept.map((line) => cutText(line, shownCharacters));
}
