import type { AppLogsQuery } from '../../../platform/contract/logs.ts';
import { RefusalError, refuse } from '../../http/reply.ts';
import { compareLogLines, generateLines, type PrintedLine } from '../../model/logs/log-lines.ts';
import { findGeneratedRun } from '../../model/seed/traffic.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { findApp } from '../../model/state/store.ts';
import { day, readMoment, type TimeRange } from '../../model/time.ts';
import type { Handlers, Platform } from '../platform.ts';

export const appLogHandlers = {
  getAppLogs({ query, ...params }, platform) {
    const app = findApp(platform.store, params);
    if (!hasLines(app, platform)) throw new RefusalError({ status: 204, headers: {}, body: '' });
    const size = Math.min(query.pageSize ?? 100, maxPageSize);
    const lines = linesAfterToken(query, app, platform);
    const page = lines.slice(0, size);
    const last = page.at(-1);
    const hasMore = lines.length > size;
    return {
      logs: page.map((line) => view(app, line)),
      nextPageToken: hasMore && last ? formatLogTime(last) : null,
      hasMore,
    };
  },
} satisfies Partial<Handlers>;

/** The emulator's limit. */
const maxPageSize = 1_000;

/** What a query asks for, after the line that its token names. */
function linesAfterToken(query: AppLogsQuery, app: AppRecord, platform: Platform): PrintedLine[] {
  const { direction = 'backward', nextToken } = query;
  const after = nextToken === undefined ? undefined : parseLogPageToken(nextToken);
  const backward = direction === 'backward';
  const range = rangeOf(query, app, platform);
  if (after && backward) range.end = Math.min(range.end, after.at);
  if (after && !backward) range.start = Math.max(range.start, after.at);
  const isNext = (line: PrintedLine) => !after || compareLogLines(line, after) * (backward ? -1 : 1) > 0;
  const matchesQuery = createLineFilter(query);
  const lines = readLines(app, range, platform).filter((line) => isNext(line) && matchesQuery(line));
  return backward ? lines.reverse() : lines;
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

function createLineFilter({ container, search, stream, runId }: AppLogsQuery) {
  // The official client sends empty values, which do not filter.
  return (line: PrintedLine): boolean =>
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

/** The token of a next page is the time of the last line rather than an offset: new lines do not shift pages. */
function parseLogPageToken(token: string): LogPosition {
  const [, nanoseconds] = /^[\d-]+T[\d:]+\.\d{3}(\d{6})Z$/.exec(token) ?? [];
  return nanoseconds ? { at: Date.parse(token), nanoseconds: Number(nanoseconds) } : refuse(400, 'invalid nextToken');
}

/** Log lines are kept for 30 days, as on the platform's standard plan. */
const retentionMs = 30 * day;

export type LogPosition = Pick<PrintedLine, 'at' | 'nanoseconds'>;

function hasLines({ id, traffic }: AppRecord, platform: Platform): boolean {
  return traffic !== undefined || printedLines(id, always, platform).length > 0;
}

const always: TimeRange = { start: 0, end: Number.MAX_SAFE_INTEGER };

/** Lines stay in order even if the clock is set back: then they are later than it. */
function printedLines(app: string, { start, end }: TimeRange, { runner, late, now }: Platform): PrintedLine[] {
  const lines = runner.logs.getLines(app);
  const latest = late.ms === 0 ? end : Math.min(end, now());
  // From the end, where a reader that waits for new ones finds them.
  const first = lines.findLastIndex(({ at }) => at < start) + 1;
  return lines.slice(first, lines.findLastIndex(({ at }) => at <= latest) + 1);
}

/** The lines of an app in a range, those of seeded runs included, oldest first. */
export function readLines(app: AppRecord, { start, end }: TimeRange, platform: Platform): PrintedLine[] {
  const now = platform.now();
  const printed = printedLines(app.id, { start, end }, platform);
  const seeded = generateLines(app, { start: Math.max(start, now - retentionMs), end: Math.min(end, now) });
  return seeded.length === 0 ? printed : [...seeded, ...printed].sort(compareLogLines);
}
