import { groupsOf } from '../kernel/groups.ts';
import type { CleanLine } from './log-text.ts';
import { findTracebacks, type Traceback } from './tracebacks.ts';

/** The lines that can show why the work ended: without those of work that went on after all. */
export function relevantLines<T extends CleanLine>(all: readonly T[]): T[] {
  const lines = withoutIgnored(withoutOtherServices(all));
  const handled = new Set<number>();
  for (const { start, end } of handledTracebacks(lines)) for (let at = start; at <= end; at++) handled.add(at);
  return lines.filter((_, at) => !handled.has(at));
}

/** Whether the last line says so, where nothing else does: the errors before it were handled. */
export function endsWell(lines: readonly CleanLine[]): boolean {
  const { text: last = '' } = lines.findLast(({ text }) => text.trim() !== '' && !tidying.test(text)) ?? {};
  // Code that a traceback shows says nothing.
  if (
    last.startsWith('    ') ||
    sinceServing(lines).some(({ text }) => crashed.test(text) || probed.test(text) || raisedIn.test(text))
  )
    return false;
  return (
    succeeded.test(last) &&
    !/(?:Error|Exception)\b|\b(?:error|warn|fail|not |un|exited|stopped|kill|without|shut|server process|code [1-9]|\d{1,2}%)/i.test(
      last,
    )
  );
}

/** Since when a server answers to the end: each path got a good answer after its last bad one, and nothing ended. */
export function goesOnSince(lines: readonly CleanLine[]): number | undefined {
  const since = sinceServing(lines);
  const { isGood, hasRecovered } = lastAnswers(since);
  // What an app raises while it answers is over with the next good answer.
  const stops = (text: string) => broke.test(text) || probed.test(text) || (!hasRecovered && ended.test(text));
  if (!isGood || isOnlyWatched(lines) || relevantLines(since).some(({ text }) => stops(text))) return undefined;
  return lines.findLastIndex(({ text }) => serves(text)) + 1;
}

/** Whether a logger told of an error of a server that had started, and only what asks how it is was answered since. */
function isOnlyWatched(lines: readonly CleanLine[]): boolean {
  const error = lines.findLastIndex(({ text }) => toldError.test(text));
  const isOver = (text: string) => starts.test(text) || (answerTo(text)?.isGood && !watching.test(text));
  return error >= 0 && !lines.slice(error).some(({ text }) => isOver(text));
}

const toldError = /^\W{0,2}(?:[\d:.,]{8,16} )?\[?ERROR\b/;
/** What a server says when it has started. */
export const starts =
  /\bstartup complete\b|\bApp is ready\b|\b(?:[Rr]unning|[Ll]istening|[Ss]erving) (?:on|at)\b|\b[Ss]tarted (?:on port|\w{1,60} in [\d.]{1,8} s)|successfully started/;
const watching = / \/(?:\S{0,80}\/)?(?:health\w{0,8}|livez?|ping|metrics|progress|readyz?|status)\b/;

function lastAnswers(lines: readonly CleanLine[]): { isGood: boolean; hasRecovered: boolean } {
  const last = new Map<string, boolean>();
  let hasRecovered = false;
  for (const { text } of lines) {
    const answer = answerTo(text);
    if (!answer || unasked.test(text)) continue;
    hasRecovered ||= answer.isGood && last.get(answer.path) === false;
    last.set(answer.path, answer.isGood);
  }
  return { isGood: last.size > 0 && ![...last.values()].includes(false), hasRecovered };
}

/** A server that answers has started, whatever failed before: what it waited for is there. */
function sinceServing(lines: readonly CleanLine[]): readonly CleanLine[] {
  return lines.slice(
    Math.max(
      0,
      lines.findIndex(({ text }) => serves(text) || failedAnswer.test(text)),
    ),
  );
}

/** A request that was answered, as servers and their loggers write it. */
const answered =
  /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) (\/[^\s"?]{0,300})(?:\?[^\s"]{0,300})?(?: HTTP\/[\d.]{1,3})?"?(?: ->)? ([2345])\d\d\b|\bCompleted ([2345])\d\d /;
const running = /(?:Uvicorn running on|Running on local URL:) {1,2}https?:\/\/0\.0\.0\.0:/;

/** A server that fails at a request has started, too. */
const failedAnswer = /\b(?:GET|POST|PUT|PATCH|DELETE) \/\S{0,300}(?: HTTP\/[\d.]{1,3})?"?(?: ->)? 500\b/;

/** Whether a line shows a server that runs, and answers. */
function serves(text: string): boolean {
  return answerTo(text)?.isGood ?? running.test(text);
}

function answerTo(text: string): { path: string; isGood: boolean } | undefined {
  const [, path = '', status, completed = status] = groupsOf(answered, text);
  return completed === undefined ? undefined : { path, isGood: completed < '4' };
}

/** What the platform says of a server that gave no answer. */
const probed = /\b(?:Liveness|Readiness) probe failed/;

/** What a server that goes on does not say. */
const broke = /^panic\b|\b(?:FATAL|CRITICAL|Killed|[Rr]estart\w{0,4}|[Bb]ack-?[Oo]ff|[Cc]rash\w{0,9}|process died)\b/;
const ended = /Traceback \(most recent|\b[Ee]xiting\b|exited with code [1-9]|exit(?:ed)? (?:code|status):? [1-9]/;

/** What browsers and scanners ask of any server. */
const unasked =
  /\b(?:GET|HEAD|POST) \/(?:favicon\.ico|robots\.txt|apple-touch-icon\S*|wp-\S*|\.env|\.git\S*|\S*\.php|ads\.txt|cgi-bin\S*|solr\S*|actuator\S*|manifest\.json|sitemap\.xml)[ ?]/;

/** What the container or the runner does after the program has ended, well or not. */
const tidying =
  /^(?:\S{0,60}\$ echo \$\?$|0$|\[(?:cont-finish\.d|cont-init\.d|services\.d|s6-finish)\]|s6-\S{1,20}: |Cleaning up |Stopping |Removing |Post job cleanup)/;

const succeeded =
  /\b(?:done|ready|succeeded|success(?:fully)?|completed?|finished(?!:)|saved|(?:passed|served \d+ requests)\b.*)\b|(?:exit(?:ed with)?|return) (?:code|status):? 0$/i;

/** What started anew afterwards failed before. */
export const crashed =
  /\(core dumped\)|\bWORKER TIMEOUT\b|\bwas sent (?:code|SIG)|^[\w.-]{1,64} exited with code [1-9]|: exited [1-9]|\bExited \([1-9]/;

/** The lines of the service of Compose that ended with an error. */
function withoutOtherServices<T extends CleanLine>(lines: readonly T[]): readonly T[] {
  const ended = lines.flatMap(({ text }) => groupsOf(/^([\w.-]{1,64}) exited with code [1-9]/, text).slice(1));
  const isEnded = ({ stream }: T) => ended.some((name) => name === stream);
  if (!lines.some(isEnded)) return lines;
  return lines.filter((line) => line.stream === undefined || isEnded(line));
}

/** What Python reports while it cleans up: it changes nothing, and comes after what ended the work. */
function withoutIgnored<T extends CleanLine>(lines: readonly T[]): readonly T[] {
  let isIgnored = false;
  return lines.filter(({ text }) => {
    const wasIgnored = isIgnored;
    if (text.startsWith('Exception ignored in')) isIgnored = true;
    else if (isIgnored && !/^(?:\s|Traceback|$)/.test(text)) isIgnored = false;
    return !wasIgnored && !isIgnored && !telemetry.test(text);
  });
}

/** What an app raised for a request. */
const raisedIn = /\bException (?:on \/\S{0,300} \[[A-Z]|in ASGI application)/;

/** What is told to others about the app: that it cannot be sent changes nothing. */
const telemetry = /\btelemetry\b|posthog|\b(?:export|send|upload)(?:ing)? (?:traces|spans|metrics|analytics)\b/i;

function handledTracebacks(lines: readonly CleanLine[]): Traceback[] {
  const handled: Traceback[] = [];
  let later: Traceback | undefined;
  for (const traceback of findTracebacks(lines.map(({ text }) => text)).reverse()) {
    if (isHandled(traceback, later)) handled.push(traceback);
    else later = traceback;
  }
  return handled;
}

/** What a logger prints before a message, but not a server that reports its own end. */
const logged = /^(?:\[?\w{1,30}\]?[ :]{1,6})?\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\b|^\(trapped\)/;
const handledLevel =
  /^\(trapped\)|\bWARN(?:ING)?\b|\b(?:DEBUG|INFO)\b.*(?:unavailable|not (?:available|installed|found)|fall(?:ing)? ?back|fail|missing|ignor|skip|retry)/i;
const ending =
  /exit|restart|shut(?:ting)? ?down|stopp|terminat|closing|crash|fail|abort|kill|fatal|booting|respawn|^==>/i;

/** Whether a logger reports that the work goes on. */
export const isGoingOn = (text: string) => logged.test(text) && !ending.test(text) && !failedAnswer.test(text);

function isHandled({ header, next }: Traceback, later: Traceback | undefined): boolean {
  return isGoingOn(next) && (later !== undefined || (logged.test(header) && handledLevel.test(header)));
}
