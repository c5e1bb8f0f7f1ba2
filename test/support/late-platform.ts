import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { listening } from './listening.ts';

/** One entry of the log of a run or a build; times in ms since its start. */
export interface LateEntry {
  at: number;
  text: string;
  stream: 'stdout' | 'stderr';
  /** When the live log and the history show it; undefined: never. */
  live: number | undefined;
  stored: number | undefined;
}

export interface LateWork {
  kind: 'run' | 'build';
  entries: LateEntry[];
  endsAt: number;
  status: string;
  /** Whether the live log sends each line by itself, without empty ones, as the platform's own client reads them. */
  splits: boolean;
  hasIds: boolean;
  /** Larger pages are refused. */
  maxPageSize: number;
  hasSocket: boolean;
  /** Whether the log of a build says its status. */
  hasStatusInLog: boolean;
  /** When the live log of a run is closed: that of a build is, at its end. */
  closesAt?: number;
}

/**
 * A platform whose status, live lines and history become visible at different times. It goes by `Date.now` and
 * `setTimeout`, which a test may fake.
 */
export async function latePlatform(work: LateWork) {
  const startedAt = Date.now();
  let inFlight = 0;
  const unanswered: (() => boolean)[] = [];
  let finalShownAt: number | undefined;
  const now = () => Date.now() - startedAt;
  const timeOf = (ms: number) => new Date(startedAt + ms).toISOString();
  const stamp = (index: number) =>
    timeOf(work.entries[index]?.at ?? 0).replace('Z', `${String(index + 1).padStart(6, '0')}Z`);
  const status = () => (now() < work.endsAt ? (work.kind === 'run' ? 'processing' : 'building') : work.status);
  const record = () => {
    if (now() >= work.endsAt) finalShownAt ??= now();
    const times = { createdAt: timeOf(0), updatedAt: timeOf(Math.min(now(), work.endsAt)) };
    return { id: work.kind === 'run' ? 'r-1' : 'b-1', status: status(), ...times };
  };
  const stored = () =>
    work.entries
      .map((entry, index) => ({ ...entry, index, timestamp: stamp(index) }))
      .filter((entry) => entry.stored !== undefined && entry.stored <= now());

  const page = (query: URLSearchParams) => {
    const size = Number(query.get('pageSize') ?? 100);
    if (size > work.maxPageSize && query.has('pageSize'))
      return { code: 400, body: { message: 'pageSize is too large' } };
    const from = Date.parse(query.get('afterDate') ?? '1970-01-01T00:00:00Z');
    const isBackward = query.get('direction') !== 'forward';
    const found = stored().filter(({ timestamp }) => Date.parse(timestamp) >= from);
    const ordered = isBackward ? found.reverse() : found;
    const start = Number(query.get('nextToken') ?? 0);
    const shown = ordered.slice(start, start + Math.min(size, work.maxPageSize));
    if (shown.length === 0) return { code: 204 };
    const hasMore = start + shown.length < ordered.length;
    const logs = shown.map(({ index, text, stream, timestamp }) => ({
      logLine: text,
      timestamp,
      stream,
      containerName: 'web-1',
      lineNumber: index,
      runId: 'r-1',
      ...(work.hasIds && { logId: `l-${index}` }),
    }));
    return { code: 200, body: { logs, hasMore, nextPageToken: hasMore ? String(start + shown.length) : null } };
  };
  const buildPage = () => ({
    code: 200,
    body: {
      logs: stored().map(({ index, text, timestamp }) => ({
        ...(work.hasIds && { id: `l-${index}` }),
        createdAt: timestamp,
        log: text,
      })),
      status: work.hasStatusInLog ? status() : '',
    },
  });
  const answer = ({ url = '' }: IncomingMessage) => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    if (/\/builds\/b-1\/logs$/.test(pathname)) return buildPage();
    if (/\/logs$/.test(pathname)) return page(searchParams);
    if (/\/builds\/b-1$/.test(pathname)) return { code: 200, body: record() };
    if (/\/runs\/r-1$/.test(pathname)) return { code: 200, body: { item: record() } };
    return { code: 404, body: { message: 'not found' } };
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    inFlight++;
    response.on('close', () => inFlight--);
    const { code, body } = answer(request) as { code: number; body?: object };
    const headers = { 'content-type': 'application/json', date: new Date(Date.now()).toUTCString() };
    response.writeHead(code, headers).end(body && JSON.stringify(body));
  });

  const send = (socket: WebSocket, index: number) => {
    const { text = '', stream } = work.entries[index] ?? {};
    const texts = work.splits ? text.split('\n').filter((line) => line !== '') : [text];
    for (const log of texts) {
      const common = { app_id: 'p-1-web', timestamp: stamp(index), log };
      const run = { ...common, run_id: 'r-1', container_name: 'web-1' };
      // To the second only: where there are ids, they decide.
      const build = { ...common, ...(work.hasIds && { log_id: `l-${index}`, timestamp: inSeconds(stamp(index)) }) };
      socket.send(JSON.stringify(work.kind === 'run' ? run : { ...build, build_id: 'b-1', stream }));
    }
  };
  const open = (socket: WebSocket) => {
    let last = 0;
    let pings = 0;
    unanswered.push(() => socket.readyState === socket.OPEN && pings > 0);
    socket.on('pong', () => pings--);
    const later = (at: number, act: () => void) => {
      last = Math.max(last, at);
      const sent = () => {
        if (socket.readyState !== socket.OPEN) return;
        act();
        // Its answer tells that the messages before it have been received.
        pings++;
        socket.ping();
      };
      if (last <= now()) sent();
      else setTimeout(sent, last - now());
    };
    for (const [index, { live }] of work.entries.entries())
      if (live !== undefined) later(live, () => send(socket, index));
    const closesAt = work.kind === 'build' ? work.endsAt : work.closesAt;
    if (closesAt !== undefined) later(Math.max(last, closesAt), () => setTimeout(() => socket.close(1000), 1));
  };
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, stream: Duplex, head) => {
    stream.on('error', () => {});
    if (!work.hasSocket) return void stream.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    sockets.handleUpgrade(request, stream, head, open);
  });
  const url = await listening(server);
  const token = `e30.${Buffer.from('{"project_id":"p-1"}').toString('base64url')}.c2lnbmF0dXJl`;
  return {
    env: { GANTRY_API_URL: url, GANTRY_LOGS_URL: url, GANTRY_TOKEN: token, GANTRY_PROJECT: 'p-1' },
    /** When its final status was read first, in ms since the start. */
    get finalShownAt() {
      return finalShownAt;
    },
    now,
    /** Until nothing is on its way, in either direction. */
    async idle() {
      for (let calm = 0; calm < 12; calm++) {
        await setImmediate();
        const reads = process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
        if (reads || inFlight > 0 || unanswered.some((isWaiting) => isWaiting())) calm = 0;
      }
    },
  };
}

function inSeconds(timestamp: string): string {
  return timestamp.replace(/\.\d+/, '');
}
