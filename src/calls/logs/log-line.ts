import { defined } from '../../kernel/json-text.ts';
import { byUnits } from '../../kernel/packed-list.ts';
import type { Context } from '../../platform/context.ts';
import type { BuildLogLine } from '../../platform/contract/builds.ts';
import type { AppLogFrame, AppLogLine, BuildLogFrame } from '../../platform/contract/logs.ts';

/** A log line, from the history or the live log. */
export interface LogLine {
  text: string;
  /** RFC 3339, as returned by the platform; empty if there is none. */
  timestamp: string;
  /** The time in ms since 1970; 0 if there is none. */
  at: number;
  /** The fraction below 1 ms; undefined if the timestamp has none. */
  nanoseconds: number | undefined;
  /** Empty if unknown. */
  container: string;
  stream: string | undefined;
  id: string | undefined;
  number: number;
  /** Fields by the names that the platform has for them in the history. A line of the live log gets the same names. */
  original: Record<string, unknown>;
}

export function appLine(original: AppLogLine): LogLine {
  const { logLine, timestamp, containerName, containerId, stream, logId, lineNumber } = original;
  return {
    text: logLine,
    timestamp,
    ...parseTime(timestamp),
    original,
    container: containerName || containerId || '',
    stream: stream || undefined,
    id: logId || undefined,
    number: lineNumber ?? 0,
  };
}

/** A line of the live log, which has fewer fields than one of the history. */
export function appFrameLine(frame: AppLogFrame): LogLine {
  const { log, timestamp, app_id, run_id, container_name, container_id, log_id, stream } = frame;
  const named = { appId: app_id, runId: run_id, containerId: container_id, containerName: container_name };
  return appLine({ ...defined({ ...named, logId: log_id }), logLine: log, ...defined({ stream }), timestamp });
}

/** `index` is the position in the log, which identifies a line without time and id. */
export function buildLine(original: BuildLogLine, index: number): LogLine {
  const timestamp = original.createdAt ?? '';
  return {
    text: original.log,
    timestamp,
    ...parseTime(timestamp),
    original,
    stream: undefined,
    container: timestamp ? '' : `line ${index}`,
    id: original.id || undefined,
    number: index,
  };
}

export function buildFrameLine({ log, timestamp, log_id, log_line_number }: BuildLogFrame): LogLine {
  return buildLine({ ...defined({ id: log_id }), createdAt: timestamp, log }, log_line_number ?? 0);
}

/** One for each line of its text: the live log may send one by one what the history has in one entry, or without its end. */
export function eachLine(line: LogLine): LogLine[] {
  const texts = line.text.replace(/\r?\n$/, '').split('\n');
  return texts.map((text) => (text === line.text ? line : withText(line, text)));
}

function withText(line: LogLine, text: string): LogLine {
  const original = Object.entries(line.original).map(([name, value]) => [name, value === line.text ? text : value]);
  return { ...line, text, original: Object.fromEntries(original) };
}

type LineSecrets = Pick<ReturnType<Context['secrets']['inSequence']>, 'hideIn'>;

/** The line without the parts of secrets that begin in the line before, or end in the next. */
export function withoutSplitSecrets(line: LogLine, secrets: LineSecrets): LogLine {
  const text = secrets.hideIn(`${line.container} ${line.stream ?? ''}`, line.text);
  return text === line.text ? line : withText(line, text);
}

/** Splits a log entry into lines. Of a line with carriage returns, such as a progress bar, the last state remains. */
export function splitLogText(log: string): string[] {
  return log
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split('\r').findLast((part) => part.trim() !== '') ?? '');
}

/** Sorts by time, then by container, then by number within a container. */
export function compareLines(a: LogLine, b: LogLine): number {
  const nanoseconds = (a.nanoseconds ?? 0) - (b.nanoseconds ?? 0);
  return a.at - b.at || nanoseconds || byUnits(a.container, b.container) || a.number - b.number;
}

function parseTime(timestamp: string): Pick<LogLine, 'at' | 'nanoseconds'> {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return { at: 0, nanoseconds: undefined };
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  return { at, nanoseconds: fraction.length > 3 ? Number(fraction.padEnd(9, '0').slice(3, 9)) : undefined };
}
