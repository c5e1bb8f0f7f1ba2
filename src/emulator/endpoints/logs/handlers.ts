import type { AppLogsQuery } from '../../../platform/contract/logs.ts';
import { RefusalError, refuse } from '../../http/reply.ts';
import { compareLogLines, type PrintedLine } from '../../model/logs/log-lines.ts';
import { findGeneratedRun } from '../../model/seed/traffic.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { findApp } from '../../model/state/store.ts';
import { readMoment, type TimeRange } from '../../model/time.ts';
import type { Handlers, Platform } from '../platform.ts';
import { hasLines, type LogPosition, readLines } from './read-lines.ts';

export const appLogHandlers = {
  getAppLogs({ query = {}, ...params }, platform) {
    const app = findApp(platform.store, params);
    if (!hasLines(app, platform)) throw new RefusalError({ status: 204, headers: {}, body: '' });
    const size = Math.min(query.pageSize ?? 100, maxPageSize);
    const page: PrintedLine[] = [];
    let hasMore = false;
    for (const line of linesAfterToken(query, app, platform)) {
      hasMore = page.length === size;
      if (hasMore) break;
      page.push(line);
    }
    const last = page.at(-1);
    return {
      logs: page.map((line) => view(app, line)),
      nextPageToken: hasMore && last ? logPageTokenAfter(last) : null,
      hasMore,
    };
  },
} satisfies Partial<Handlers>;

/** The emulator's limit. */
const maxPageSize = 1_000;

/** What a query asks for, after the line that its token names. */
function* linesAfterToken(query: AppLogsQuery, app: AppRecord, platform: Platform): Generator<PrintedLine> {
  const { direction = 'backward', nextToken } = query;
  const after = nextToken === undefined ? undefined : parseLogPageToken(nextToken);
  const backward = direction === 'backward';
  const range = rangeOf(query, app, platform);
  const matchesQuery = createLineFilter(query, range);
  const pageRange = after && (backward ? { ...range, end: after.at } : { ...range, start: after.at });
  for (const line of readLines(app, pageRange ?? range, backward, platform)) {
    const place = after ? compareLogLines(line, after) : Number.NaN;
    const wasListed = backward ? place >= 0 : place <= 0;
    if (!wasListed && matchesQuery(line)) yield line;
  }
}

/** From `afterDate`, or the start of the run, up to `beforeDate`, which is not included. */
function rangeOf({ afterDate, beforeDate, runId }: AppLogsQuery, app: AppRecord, { store }: Platform): TimeRange {
  const from = readMoment('afterDate', afterDate || undefined);
  const until = readMoment('beforeDate', beforeDate || undefined);
  const run = runId ? (store.runs.get(runId) ?? findGeneratedRun(app, runId)) : undefined;
  return {
    start: Math.max(from ?? 0, run?.createdAt ?? 0),
    end: until === undefined ? Number.MAX_SAFE_INTEGER : until - 1,
  };
}

function createLineFilter({ container, search, stream, runId }: AppLogsQuery, { start, end }: TimeRange) {
  // The official client sends empty values, which do not filter.
  return (line: PrintedLine): boolean =>
    line.at >= start &&
    line.at <= end &&
    (!container || line.container === container) &&
    (!search || line.text.includes(search)) &&
    (!stream || line.stream === stream) &&
    (!runId || line.run === runId);
}

function view(app: AppRecord, line: PrintedLine) {
  return {
    appId: app.id,
    projectId: app.project,
    runId: line.run,
    containerId: line.container,
    containerName: line.container,
    logId: `${line.container}-${line.lineNumber}`,
    lineNumber: line.lineNumber,
    logLine: line.text,
    stream: line.stream,
    timestamp: formatLogTime(line),
  };
}

/** RFC 3339 with nanoseconds, so that timestamps are unique. */
export function formatLogTime({ at, nanoseconds }: LogPosition): string {
  return new Date(at).toISOString().replace('Z', `${String(nanoseconds).padStart(6, '0')}Z`);
}

export function parseLogTime(text: string): LogPosition {
  return { at: Date.parse(text), nanoseconds: Number(/\d{6}(?=Z$)/.exec(text)?.[0] ?? 0) };
}

/** Tokens name a line rather than an offset, so that new lines do not shift pages. */
export function logPageTokenAfter({ at, nanoseconds }: LogPosition): string {
  return Buffer.from(`line/${at}/${nanoseconds}`).toString('base64url');
}

function parseLogPageToken(token: string): LogPosition {
  const [, at, nanoseconds] = /^line\/(\d{1,16})\/(\d{1,6})$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  return at ? { at: Number(at), nanoseconds: Number(nanoseconds) } : refuse(400, 'invalid nextToken');
}
