import { stripVTControlCharacters } from 'node:util';

/** A line of a log without what the tools around it add. */
export interface CleanLine {
  text: string;
  /** In the whole log, from 1. */
  number: number;
  /** What printed it, if several do: a service of Compose (`web-1`), a step of an image build (`#8`). */
  stream?: string;
}

/** The end of a log has the failure: of a longer one, only so much is read. */
const maxCharacters = 1024 * 1024;
const maxLines = 10_000;
/** The rest of a longer line is dropped. */
const maxLineCharacters = 2_000;

/** The last lines of a log, each without colors, times and the prefixes of container engines. */
export function cleanLines(log: string): CleanLine[] {
  const start = Math.max(0, log.length - maxCharacters);
  const lines = withoutIndentation(log.slice(start).split('\n'));
  const dropped = Math.max(0, lines.length - maxLines);
  const before = countLineBreaks(log, start) + dropped;
  const clean = lines
    .slice(dropped)
    .flatMap((line, index) => unwrap(line).map((text) => ({ ...cleanLine(text), number: before + index + 1 })));
  return joinWrapped(asPythonPrints(clean));
}

/** The lines of a log that was copied from a page or a chat, where all of it is indented, or quoted. */
function withoutIndentation(lines: readonly string[]): readonly string[] {
  const start = lines.length > 3 ? /[^\s>]/ : /\S/;
  const indented = lines.map((line) => (start.test(line) ? line.search(start) : Number.POSITIVE_INFINITY));
  const common = indented.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
  return lines.map((line) => line.slice(common));
}

/** uv wraps its messages at the width of a terminal: a rule sees each as one line. */
function joinWrapped(lines: readonly CleanLine[]): CleanLine[] {
  const joined: CleanLine[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    const isPart = last !== undefined && report.test(last.text) && continuation.test(line.text);
    if (isPart && last.text.length < maxLineCharacters) last.text += ` ${line.text.replace(/^[\s│]{1,20}/, '')}`;
    else joined.push({ ...line });
  }
  return joined;
}

const report = /^\s{0,12}(?:×|├─▶|╰─▶) /;
const continuation =
  /^\s{0,8}│ {1,4}(?!exit code)\S|^ {4,12}(?!hint: |\[|Traceback|File "|\w{1,60}Error\b)[\w(`<>=.+-]/;

function countLineBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) === 10) count++;
  return count;
}

/** The texts of a log line that is a JSON object: its message, and a traceback beside it. Else the line itself. */
function unwrap(line: string): string[] {
  const start = line.indexOf('{');
  // A time or the name of a service may stand before it.
  if (start < 0 || start > 80 || !line.trimEnd().endsWith('}')) return [line];
  try {
    const texts = messagesOf(JSON.parse(line.slice(start)) as Record<string, unknown>);
    return texts.length === 0 ? [line] : texts;
  } catch {
    return [line];
  }
}

const messageKeys = ['msg', 'message', 'event', 'log', 'text', 'textPayload', 'line'];
const traceKeys = ['exc_info', 'exception', 'traceback', 'stack_trace', 'stacktrace', 'stack'];

function messagesOf(record: Record<string, unknown>): string[] {
  const message = messageKeys.map((key) => record[key]).find((value) => typeof value === 'string');
  const traces = traceKeys.map((key) => record[key]).filter((value) => typeof value === 'string');
  if (message === undefined && traces.length === 0) return [];
  return [message ?? '', ...traces].flatMap((text) => String(text).trimEnd().split('\n'));
}

/** The last state of a line with carriage returns, such as a progress bar. */
function cleanLine(line: string): Pick<CleanLine, 'text' | 'stream'> {
  const states = line.slice(0, maxLineCharacters).split('\r');
  const plain = stripVTControlCharacters(states.findLast((part) => part.trim() !== '') ?? '');
  const match = prefix.exec(plain);
  const { step, service } = match?.groups ?? {};
  const stream = step ?? service;
  const rest = plain.slice(match?.[0].length);
  // A service of Compose may print times of its own.
  const message = service === undefined ? rest : rest.slice(prefix.exec(rest)?.[0].length);
  const text = [hostPrefix, processPrefix, errorPrefix, groupMargin].reduce(
    (rest, pattern) => rest.replace(pattern, ''),
    message,
  );
  return { text: withoutLogger(text.trimEnd().replaceAll('\\"', '"')), ...(stream !== undefined && { stream }) };
}

/** Times, `stdout F` of container logs, `#11 0.412` and `0.412` of image builds, `web-1  | ` of Compose. */
const prefix =
  /^(?:\[?\d{4}-(?:\d\d|[A-Z][a-z]{2})-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?\]?(?:[ \t]|::? ?)(?:\d\d[OE][+ ] ?)?|\d\d:\d\d:\d\d(?:[.,]\d{1,6})? )?(?:(?:stdout|stderr)(?: [FP] |\t))?(?:\[pod\/\S{1,120}\] )?(?:(?<step>#\d{1,4}) (?:\d{1,6}\.\d{1,4}(?: |$))?|\d{1,5}\.\d{1,3}(?: |$)|(?<service>[\w.@-]{1,64}) {1,20}\| )?/;

/** What syslog, `Oct 27 18:30:47 web python3[15]: `, hosts of apps, `app[web.1] lax [info]`, `Step #2 - "Deploy": `, and PM2, `0|web | `, write first. */
const hostPrefix =
  /^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,64} [\w./-]{1,64}(?:\[\d{1,9}\])?: |app\[[\w.-]{1,64}\](?: [a-z]{3} \[\w{1,10}\] ?|: )|Step #\d{1,3}(?: - "[^"]{1,60}")?: |\[(?:inf|err)\] {1,4}|\[\d\d:\d\d:\d\d(?:\.\d{1,6})?\] |[AP]M: {1,4}|[A-Z][a-z]{2} {1,2}\d{1,2},? \d{1,2}:\d\d(?::\d\d)? [AP]M {1,4}|\d{1,3}\|[\w.-]{1,40} {1,20}\| |\[(?:INFO|WARN|ERROR) ?\] W-\S{1,80} [\w.]{1,80} - |[\w@/-]{1,60}:(?:build|dev|start): |remote: {1,8}(?!Repository|Support)| {1,4}\[info\] ?|\[[^\]]{10,40}\] \{\w{1,40}\.py:\d{1,6}\} (?:INFO|ERROR) - )/;

/** What one of several processes writes first: `(EngineCore_DP0 pid=6880)` of vLLM and Ray, `[rank0]:` of torchrun. */
const processPrefix = /^(?:\([A-Za-z][\w-]{0,40} pid=\d{1,9}[^()]{0,40}\) ?|\[rank\d{1,4}\]: ?)/;

/** What a logger writes before each line of an error. Other levels stay: they show that the work went on. */
const errorPrefix =
  /^(?:(?:ERROR|CRITICAL):[\w.]{1,60}:(?=\S)|(?:ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./-]{1,60}:\d{1,6}\] ?|\| ERROR \| (?:stderr \| )?|ERROR \| )/;

/** What Python writes before the lines of an exception group. */
const groupMargin = /^ {2,40}(?:\| |\+(?: |-[-+ \d.]{0,80}$))/;

/** An exception without what any logger writes before it: names, times and levels. Other words are a message. */
function withoutLogger(text: string): string {
  const at = text.slice(0, 200).search(raised);
  const before = text.slice(0, at);
  if (at < 1 || /^\s|\bpanic\b|WARN|INFO|DEBUG/i.test(before)) return text;
  const words = before.replace(/\[[^\]]*\]|\([^)]*\)|[\w./-]+(?:: | - |:\d+\] )/g, ' ');
  return words.split(/[^\w.]+/).every((word) => noise.test(word)) ? text.slice(at) : text;
}

const raised =
  /\b[A-Za-z_][\w.]{0,80}(?:Error|Exception): |Traceback \(most recent call last\):|(?<=^\[[\w.-]{1,30}\] )\s{2,}/;
const noise = /^(?:|\d\S*|[A-Z]\d{4}|ERROR|CRITICAL|FATAL|UTC|[A-Z][a-z]{2})$/;

/** Tracebacks as Python prints them: some hosts drop the indentation, and Streamlit writes the exception above. */
function asPythonPrints<T extends Pick<CleanLine, 'text'>>(lines: readonly T[]): T[] {
  return exceptionBelow(indented(lines));
}

const frame = /^File "[^"]{1,300}", line \d{1,7}/;
const exception = /^(?:\w{1,60}\.){0,8}[A-Z]\w{1,80}(?:: |$)/;
/** Code of one call may take as many lines. */
const maxCodeLines = 12;

/** Frames, with the code below them, where nothing is indented. */
function indented<T extends Pick<CleanLine, 'text'>>(lines: readonly T[]): T[] {
  const copies = lines.map((line) => ({ ...line }));
  for (const [at, line] of copies.entries()) {
    if (!frame.test(line.text)) continue;
    line.text = `  ${line.text}`;
    for (const code of codeBelow(copies.slice(at + 1, at + 1 + maxCodeLines))) code.text = `    ${code.text}`;
  }
  return copies;
}

/** What is between two frames is code. Below the last one, a line is, and what marks a part of it. */
function codeBelow<T extends Pick<CleanLine, 'text'>>(below: readonly T[]): readonly T[] {
  const isOver = ({ text }: T) => exception.test(text) || /^(?:\s|$)/.test(text);
  const until = below.findIndex((line) => frame.test(line.text) || isOver(line));
  const isBetween = frame.test(below[until]?.text ?? '');
  const end = isBetween ? until : below.findIndex((line, at) => isOver(line) || (at > 0 && !/^[~^]+$/.test(line.text)));
  return end < 0 ? below : below.slice(0, end);
}

/** `NameError: …`, `Traceback:` and the frames, in the order of Python. */
function exceptionBelow<T extends Pick<CleanLine, 'text'>>(lines: readonly T[]): T[] {
  const start = lines.findLastIndex(
    ({ text }, at) => text === 'Traceback:' && exception.test(lines[at - 1]?.text ?? ''),
  );
  const [error, header] = lines.slice(start - 1, start + 1);
  if (start < 1 || !error || !header) return [...lines];
  const length = lines.slice(start + 1).findIndex(({ text }) => !text.startsWith(' '));
  const end = length < 0 ? lines.length : start + 1 + length;
  const title = { ...header, text: 'Traceback (most recent call last):' };
  return [...lines.slice(0, start - 1), title, ...lines.slice(start + 1, end), error, ...lines.slice(end)];
}
