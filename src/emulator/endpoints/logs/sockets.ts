import type { WebSocket } from 'ws';
import { every } from '../../../kernel/clock.ts';
import { buildPhase } from '../../../platform/contract/builds.ts';
import { type AppLogFrame, appLogSocket, type BuildLogFrame, buildLogSocket } from '../../../platform/contract/logs.ts';
import { refuse } from '../../http/reply.ts';
import { getBuildProgress } from '../../model/builds/script.ts';
import type { SocketFault } from '../../model/faults.ts';
import { compareLogLines } from '../../model/logs/log-lines.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import { findApp } from '../../model/state/store.ts';
import { formatTime, hour, readMoment } from '../../model/time.ts';
import { checkAccess } from '../account/access.ts';
import type { Platform, UpgradeRequest } from '../platform.ts';
import { formatLogTime, type LogPosition, readLines } from './handlers.ts';

/** Accepts a WebSocket for build or app logs. Refuses other requests. */
export async function acceptLogSocket(
  { request, url, client, head, call }: UpgradeRequest,
  platform: Platform,
): Promise<void> {
  const fault = platform.faults.take('log-socket');
  if (fault === 'refused') refuse(503, 'sockets are unavailable');
  const start = createFeed(url, platform);
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({ noServer: true });
  server.handleUpgrade(request, client, head, (socket) => {
    call.status = 101;
    const stop = start(new Sender(socket, fault));
    socket.on('close', stop).on('error', () => socket.terminate());
  });
}

/** Sends frames, and applies a fault to them. */
class Sender {
  #sent = 0;

  constructor(
    readonly socket: WebSocket,
    readonly fault: SocketFault | undefined,
  ) {}

  send(frame: AppLogFrame | BuildLogFrame): void {
    if (this.fault === 'silent' || (this.fault === 'cut-after-two' && this.#sent >= 2)) return;
    const text = JSON.stringify(frame);
    this.#sent += 1;
    // In the callback, so that the frames before it still arrive.
    this.socket.send(text, () => this.fault === 'cut-after-two' && this.#sent === 2 && this.socket.terminate());
    if (this.fault === 'repeating') this.socket.send(text);
  }

  end(): void {
    this.socket.close(1000);
  }
}

/** Checks the query and access, and returns a function that starts sending. */
function createFeed({ pathname, searchParams }: URL, platform: Platform): (sender: Sender) => () => void {
  const query = Object.fromEntries(searchParams);
  const { projectID: project = '', token = '', after = '' } = query;
  if (pathname !== buildLogSocket && pathname !== appLogSocket) refuse(404, 'socket not found');
  checkAccess(token && `Bearer ${token}`, project, platform);
  const since = readMoment('after', after || undefined) ?? 0;
  if (pathname === appLogSocket) {
    const app = findApp(platform.store, { project, app: query.appID ?? '' });
    return (sender) => feedApp(sender, app, query, since, platform);
  }
  const build = platform.store.builds.get(query.buildID ?? '');
  if (!build || platform.store.apps.get(build.app)?.project !== project) return refuse(404, 'build not found');
  return (sender) => feedBuild(sender, build, since, platform);
}

/** Sends what is new, again and again. */
function feedApp(
  sender: Sender,
  app: AppRecord,
  query: Record<string, string>,
  since: number,
  platform: Platform,
): () => void {
  const platformThen = { ...platform, now: platform.late.seenAt };
  const from = since || (app.traffic ? platformThen.now() - maxPastMs : 0);
  let last: LogPosition = { at: from, nanoseconds: -1 };
  const sendNew = () => {
    for (const line of readLines(app, { start: last.at, end: platformThen.now() }, platformThen)) {
      if (compareLogLines(line, last) <= 0) continue;
      last = line;
      const { container, run, text } = line;
      if (query.runID && run !== query.runID) continue;
      if (query.containerID && container !== query.containerID) continue;
      sender.send({
        app_id: app.id,
        run_id: run,
        timestamp: formatLogTime(line),
        container_name: container,
        log: text,
      });
    }
  };
  sendNew();
  return every(pollMs, sendNew, { background: true });
}

/** How far back the socket of a seeded app goes without `after`. */
const maxPastMs = hour;

const pollMs = 50;

function feedBuild(sender: Sender, build: BuildRecord, since: number, { store, late }: Platform): () => void {
  let sent = 0;
  const poll = () => {
    const { lines, status } = getBuildProgress(store.builds.get(build.id) ?? build, late.seenAt());
    for (; sent < lines.length; sent += 1) {
      const line = lines[sent];
      if (line && line.at >= since) sender.send(frameOf(build, sent, line));
    }
    if (buildPhase(status) !== 'in progress') sender.end();
  };
  const stopTimer = every(pollMs, poll);
  poll();
  return stopTimer;
}

function frameOf(
  { id, app, settings }: BuildRecord,
  index: number,
  { at, text }: { at: number; text: string },
): BuildLogFrame {
  return {
    build_id: id,
    log_id: `${id}-${index + 1}`,
    app_id: app,
    container_id: '',
    timestamp: formatTime(at),
    log: text,
    k8s_namespace: 'builds',
    stream: 'stdout',
    region: settings.region,
    log_line_number: index + 1,
    stage: 'build',
  };
}
