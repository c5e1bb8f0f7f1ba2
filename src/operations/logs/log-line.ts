import type { BuildLogLine } from '../../contract/builds.ts';
import type { AppLogFrame, AppLogLine, BuildLogFrame } from '../../contract/logs.ts';

/** One line of a log, whichever way it came. */
export interface LogLine {
  text: string;
  /** As the platform says it, in RFC 3339; empty when it says none. */
  timestamp: string;
  /** The same in milliseconds since 1970; no time is the beginning. */
  at: number;
  /** What it has beyond them; undefined when it is not told so finely. */
  nanoseconds: number | undefined;
  /** Empty when it is not known. */
  container: string;
  stream: string | undefined;
  id: string | undefined;
  number: number;
  /** As the history gives it: a line that came by the socket has the same names. */
  original: Record<string, unknown>;
}

export function appLine(came: AppLogLine): LogLine {
  const { logLine, timestamp, containerName, containerId, stream, logId, lineNumber } = came;
  return {
    ...{ text: logLine, timestamp, ...moment(timestamp), original: came },
    container: containerName || containerId || '',
    stream: stream || undefined,
    id: logId || undefined,
    number: lineNumber ?? 0,
  };
}

/** A line from the socket, which sends fewer fields than the history. */
export function appFrameLine({ log, timestamp, app_id, run_id, container_name, ...more }: AppLogFrame): LogLine {
  const { container_id, log_id, stream } = more as Partial<Record<string, string>>;
  return appLine({
    ...(app_id ? { appId: app_id } : {}),
    ...(run_id ? { runId: run_id } : {}),
    ...(container_id ? { containerId: container_id } : {}),
    ...(container_name ? { containerName: container_name } : {}),
    ...(log_id ? { logId: log_id } : {}),
    logLine: log,
    ...(stream ? { stream } : {}),
    timestamp,
  });
}

/** `index` is its place in the log. Nothing else tells two lines without time and id from each other. */
export function buildLine(came: BuildLogLine, index: number): LogLine {
  const timestamp = came.createdAt ?? '';
  return {
    ...{ text: came.log, timestamp, ...moment(timestamp), original: came, stream: undefined },
    container: timestamp ? '' : `line ${index}`,
    id: came.id || undefined,
    number: index,
  };
}

export function buildFrameLine({ log, timestamp, log_id, log_line_number }: BuildLogFrame): LogLine {
  const came = { ...(log_id ? { id: log_id } : {}), createdAt: timestamp, log };
  return buildLine(came, log_line_number ?? 0);
}

/** The lines of one log entry, each as it looks after its carriage returns: of a progress bar the last state stays. */
export function splitLogText(log: string): string[] {
  return log
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split('\r').findLast((part) => part.trim() !== '') ?? '');
}

/** For sorting: by time, then by container, and in one container by number. What is equal stays as it came. */
export function compareLines(a: LogLine, b: LogLine): number {
  if (a.at !== b.at) return a.at - b.at;
  const finer = (a.nanoseconds ?? 0) - (b.nanoseconds ?? 0);
  if (finer !== 0) return finer;
  if (a.container !== b.container) return a.container < b.container ? -1 : 1;
  return a.number - b.number;
}

function moment(timestamp: string): Pick<LogLine, 'at' | 'nanoseconds'> {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return { at: 0, nanoseconds: undefined };
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  return { at, nanoseconds: fraction.length > 3 ? Number(fraction.padEnd(9, '0').slice(3, 9)) : undefined };
}
