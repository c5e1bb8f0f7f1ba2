import type { CleanLine } from './log-text.ts';
import { findTracebacks, type Traceback } from './tracebacks.ts';

/** The lines that can show why the work ended: without those of work that went on after all. */
export function relevantLines<T extends CleanLine>(all: readonly T[]): T[] {
  const lines = withoutFallbacks(withoutIgnored(withoutNotices(withoutFinishedSteps(withoutOtherServices(all)))));
  const handled = new Set<number>();
  for (const { start, end } of handledTracebacks(lines)) for (let at = start; at <= end; at++) handled.add(at);
  return lines.filter((_, at) => !handled.has(at));
}

/** Whether the last line says so, where nothing else does: the errors before it were handled. */
export function endsWell(lines: readonly CleanLine[]): boolean {
  const { text: last = '' } = lines.findLast(({ text }) => text.trim() !== '') ?? {};
  // Code that a traceback shows says nothing.
  if (last.startsWith('    ') || sinceServing(lines).some(({ text }) => crashed.test(text) || isRefused(text)))
    return false;
  if (endsSurely(lines)) return true;
  return (
    succeeded.test(last) && !/\b(?:error|warn|fail|not |un|exited|stopped|kill|without|shut|server process)/i.test(last)
  );
}

/** An image that is built, or a server that answers after all: an error before it says nothing. */
export function endsSurely(lines: readonly CleanLine[]): boolean {
  const last = lines.findLast(({ text }) => text.trim() !== '');
  if (last === undefined) return false;
  const isExported = () => lines.some(({ text, stream }) => stream === last.stream && text === 'exporting to image');
  if (/^(?:Successfully tagged|COMMIT) /.test(last.text) || (last.text.startsWith('DONE ') && isExported()))
    return true;
  return serves.test(last.text) && !withoutNotices(sinceServing(lines)).some(({ text }) => broken.test(text));
}

/** A server that answers has started, whatever failed before: what it waited for is there. */
function sinceServing(lines: readonly CleanLine[]): readonly CleanLine[] {
  return lines.slice(
    Math.max(
      0,
      lines.findIndex(({ text }) => serves.test(text)),
    ),
  );
}

/** A server that runs, and answers. */
const serves =
  /"(?:GET|HEAD|POST|PUT|DELETE) \S{1,300}(?: HTTP\/[\d.]{1,3})?" (?:20\d|30\d)\b|(?:Uvicorn running on|Running on local URL:) {1,2}https?:\/\/0\.0\.0\.0:/;
const broken =
  /(?:Traceback \(most recent|HTTP\/[\d.]{1,3}"? 5\d\d|\b(?:ERROR|CRITICAL|FATAL|[Ff]atal|panic|FAIL)\b|(?:Error|\berror): |exited with code [1-9]|exit(?:ed)? code:? [1-9]|Killed|[Ee]xiting)/;

/** One of several programs has ended, or a call was refused that somebody meant. */
const isRefused = (text: string) => refused.test(text) && !unasked.test(text);
const refused = /\bexit status [1-9]|\bFATAL\b|\bNo supported\b|HTTP\/[\d.]{1,3}"? 4\d\d/;

/** What browsers and scanners ask of any server. */
const unasked = /"(?:GET|HEAD|POST) \/(?:favicon\.ico|robots\.txt|apple-touch-icon\S*|wp-\S*|\.env|\.git\S*|\S*\.php) /;

const succeeded =
  /\b(?:done|ready|succeeded|success(?:fully)?|completed?|finished(?!:)|saved|(?:passed|served \d+ requests)\b.*)\b|exit(?:ed with)? (?:code|status):? 0$/i;

/** What started anew afterwards failed before. */
const crashed = /\(core dumped\)|\bWORKER TIMEOUT\b|\bwas sent (?:code|SIG)|^[\w.-]{1,64} exited with code [1-9]/;

/** Of several services of Compose, the one that ended with an error. */
function withoutOtherServices<T extends CleanLine>(lines: readonly T[]): readonly T[] {
  const ended = lines.flatMap(({ text }) => /^([\w.-]{1,64}) exited with code [1-9]/.exec(text)?.[1] ?? []);
  if (!lines.some(({ stream }) => stream !== undefined && ended.includes(stream))) return lines;
  return lines.filter(({ stream }) => stream === undefined || ended.includes(stream));
}

/** A step of an image build that is done has not failed, whatever it printed. */
function withoutFinishedSteps<T extends CleanLine>(lines: readonly T[]): readonly T[] {
  const done = new Set(
    lines.flatMap(({ text, stream }) => (stream?.startsWith('#') && /^(?:DONE|CACHED)\b/.test(text) ? stream : [])),
  );
  return done.size === 0 ? lines : lines.filter(({ stream }) => stream === undefined || !done.has(stream));
}

/** TensorFlow says at these levels which libraries it can do without, and calls it an error that it finds no GPU. */
const notice =
  /^(?:[\d:. -]{1,60} )?[IW](?:\d{4} \S{1,40})? ?(?:external\/|tensorflow\/|\S{1,60}\.cc:\d)|\bfailed call to cuInit: (?:UNKNOWN|INTERNAL)|\bUnable to register cu\w{2,6} factory/;

function withoutNotices<T extends CleanLine>(lines: readonly T[]): readonly T[] {
  return lines.filter(({ text }) => !notice.test(text));
}

const fallback =
  /\b(?:[Uu]sing (?:the )?defaults?\b|[Ff]all(?:ing|s)? ?back (?:to|on)\b|[Dd]efaulting to(?! libbitsandbytes_cpu))/;

/** What the app did otherwise after all, and the two lines that said why. */
function withoutFallbacks<T extends CleanLine>(lines: readonly T[]): readonly T[] {
  const isDone = (at: number) => fallback.test(lines[at]?.text ?? '');
  const isFrame = ({ text }: T) => /^\s|^[\w.]{1,80}(?:Error|Exception)\b/.test(text);
  return lines.filter((line, at) => !isDone(at) && (isFrame(line) || !(isDone(at + 1) || isDone(at + 2))));
}

/** What Python reports while it cleans up: it changes nothing, and comes after what ended the work. */
function withoutIgnored<T extends CleanLine>(lines: readonly T[]): readonly T[] {
  let isIgnored = false;
  return lines.filter(({ text }) => {
    const wasIgnored = isIgnored;
    if (text.startsWith('Exception ignored in')) isIgnored = true;
    else if (isIgnored && !/^(?:\s|Traceback|$)/.test(text)) isIgnored = false;
    return !wasIgnored && !isIgnored && !/\(ignored\)$/.test(text.trimEnd());
  });
}

function handledTracebacks(lines: readonly CleanLine[]): Traceback[] {
  const handled: Traceback[] = [];
  let hasLater = false;
  for (const one of findTracebacks(lines.map(({ text }) => text)).reverse()) {
    if (isHandled(one, hasLater)) handled.push(one);
    else hasLater = true;
  }
  return handled;
}

/** Exceptions that code catches as a matter of course: another one may be raised meanwhile. */
const ordinary =
  /^(?:ImportError: cannot import name|(?:ModuleNotFound|Key|FileNotFound|Type|Attribute|Value|Index|Lookup)Error\b)/;
/** What a logger prints before a message, but not a server that reports its own end. */
const logged = /^(?:\[?\w{1,30}\]?[ :]{1,6})?\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\b|^\(trapped\)/;
const handledLevel =
  /^\(trapped\)|\bWARN(?:ING)?\b|\b(?:DEBUG|INFO)\b.*(?:unavailable|not (?:available|installed|found)|fall(?:ing)? ?back|fail|missing|ignor|skip|retry)/i;
const ended =
  /exit|restart|shut(?:ting)? ?down|stopp|terminat|closing|crash|fail|abort|kill|fatal|booting|respawn|^==>/i;

function isHandled({ exception, header, next }: Traceback, hasLater: boolean): boolean {
  if (next.startsWith('During handling of the above exception')) return ordinary.test(exception);
  const goesOn = logged.test(next) && !ended.test(next);
  if (!goesOn) return false;
  return hasLater || (logged.test(header) && handledLevel.test(header));
}
