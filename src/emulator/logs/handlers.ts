import type { AppLogsQuery } from '../../contract/logs.ts';
import { findApp } from '../apps/find.ts';
import type { Handlers } from '../platform.ts';
import { RefusalError, refuse } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import type { PrintedLine } from './app-logs.ts';

export const appLogHandlers: Pick<Handlers, 'getAppLogs'> = {
  getAppLogs({ query = {}, ...params }, { store, runner }) {
    const app = findApp(store, params);
    const lines = runner.logs.getLines(app.id);
    if (lines.length === 0) throw new RefusalError({ status: 204, headers: {}, body: '' });
    const { pageSize = 100, direction = 'forward', nextToken } = query;
    const after = nextToken === undefined ? undefined : parseLogPageToken(nextToken);
    const backward = direction === 'backward';
    const matchesQuery = createLineFilter(query);
    const size = Math.min(pageSize, maxPageSize);
    const page: PrintedLine[] = [];
    let hasMore = false;
    for (let index = 0; index < lines.length && !hasMore; index += 1) {
      const line = lines[backward ? lines.length - 1 - index : index] as PrintedLine;
      if (after !== undefined && (backward ? line.number >= after : line.number <= after)) continue;
      if (!matchesQuery(line)) continue;
      if (page.length === size) hasMore = true;
      else page.push(line);
    }
    const last = page.at(-1);
    return {
      logs: page.map((line) => view(app, line)),
      nextPageToken: hasMore && last ? logPageTokenAfter(last.number) : null,
      hasMore,
    };
  },
};

/** The emulator's limit. */
const maxPageSize = 1_000;

function createLineFilter({ container, afterDate, beforeDate, search, stream, runId }: AppLogsQuery) {
  const [from, until] = [parseTime('afterDate', afterDate), parseTime('beforeDate', beforeDate)];
  // The official client sends empty values, which do not filter.
  return (line: PrintedLine): boolean =>
    (!container || line.container === container) &&
    (from === undefined || line.at >= from) &&
    (until === undefined || line.at < until) &&
    (!search || line.text.includes(search)) &&
    (!stream || line.stream === stream) &&
    (!runId || line.run === runId);
}

function parseTime(name: string, text: string | undefined): number | undefined {
  if (!text) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? refuse(400, `${name} must be an RFC 3339 time: ${text}`) : time;
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
export function formatLogTime({ at, nanoseconds }: Pick<PrintedLine, 'at' | 'nanoseconds'>): string {
  return new Date(at).toISOString().replace('Z', `${String(nanoseconds).padStart(6, '0')}Z`);
}

/** Tokens name a line rather than an offset, so that new lines do not shift pages. */
export function logPageTokenAfter(line: number): string {
  return Buffer.from(`line/${line}`).toString('base64url');
}

export function parseLogPageToken(token: string): number {
  const [, line] = /^line\/(\d+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  return line ? Number(line) : refuse(400, 'invalid nextToken');
}
