import { type Duplex, PassThrough, type Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { onAbort } from '../../../kernel/clock.ts';
import { refusalOf, refuse, writeRawHead, writeRawReply } from '../../http/reply.ts';
import { markEnded, recordRun, unassigned } from '../../model/runs/record.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import { endToEndHeaders } from '../../running/replicas/forward-request.ts';
import { CallAbortedError, type SocketCall, type SocketReply } from '../../running/replicas/replica.ts';
import type { ReplicaSlot } from '../../running/replicas/replica-pool.ts';
import { findReadyBuild, whyNotRunnable } from '../builds/handlers.ts';
import { reportCall, type SocketEnd } from '../call-observer.ts';
import type { Platform, UpgradeRequest } from '../platform.ts';
import { acquireReplica } from './acquire-replica.ts';
import { checkCaller, errorReply, findCalledApp, forwardedHeaders, pathBelowApp } from './route-call.ts';

/** Passes a WebSocket on to an app's own server. Refuses a request that cannot be routed. */
export async function acceptAppSocket(
  { request, url, client, head, call }: UpgradeRequest,
  platform: Platform,
): Promise<void> {
  const started = performance.now();
  let end: SocketEnd = { isComplete: false };
  try {
    const { app, path } = findCalledApp(url, platform);
    await checkCaller(request, app, platform);
    const build = await findServer(app, platform);
    const record = { app: app.id, functionName: path.join('/'), method: 'GET', async: false, container: unassigned };
    const run = recordRun({ ...record, websocket: true }, platform).id;
    const upgrade = { run, address: pathBelowApp(url), headers: forwardedHeaders(app, request.headers) };
    end = await performSocket({ app, build, upgrade, client, head }, platform);
  } catch (error) {
    end = { status: refusalOf(error).status, isComplete: true };
    throw error;
  } finally {
    if (end.status !== undefined) call.status = end.status;
    const facts = { method: 'GET', kind: 'websocket', durationMs: performance.now() - started } as const;
    reportCall(url.pathname + url.search, { ...facts, ...end }, platform);
  }
}

/** The build whose server is called. Refuses apps that have none. */
async function findServer(app: AppRecord, platform: Platform): Promise<BuildRecord> {
  const build = findReadyBuild(app, platform) ?? refuse(503, `app ${app.name} has no successful build`);
  const obstacle = await whyNotRunnable(build, platform);
  if (build.settings.runtime !== 'custom') {
    refuse(400, `app ${app.name} has no WebSockets: they need a server of its own (cerebrium.runtime.custom)`);
  }
  if (obstacle) refuse(501, `WebSockets are not simulated: ${obstacle.reason}`);
  return build;
}

interface SocketTask extends Pick<UpgradeRequest, 'client' | 'head'> {
  app: AppRecord;
  build: BuildRecord;
  upgrade: Omit<SocketCall, 'signal'>;
}

/** Its run lasts until the socket is closed, without a time limit. */
async function performSocket(
  { app, build, upgrade, client, head }: SocketTask,
  platform: Platform,
): Promise<SocketEnd> {
  const { runner } = platform;
  const { run } = upgrade;
  const controller = runner.track(run);
  const { signal } = controller;
  // Read from the start, so that a client that leaves while the app starts is noticed.
  const fromClient = new PassThrough();
  fromClient.write(head);
  client.pipe(fromClient);
  const onDisconnect = () => controller.abort(new CallAbortedError('the caller disconnected', 499, -1));
  for (const event of ['end', 'close']) client.once(event, onDisconnect);
  let slot: ReplicaSlot | undefined;
  let statusCode = 500;
  try {
    slot = await acquireReplica({ app, build, run, isSocket: true, signal }, platform);
    const reply = await slot.replica.openSocket({ ...upgrade, signal });
    for (const event of ['end', 'close']) client.off(event, onDisconnect);
    const { statusCode: status = 502 } = reply.response;
    statusCode = await passOn(reply, run, client, fromClient, signal);
    return { status, isComplete: statusCode === status, run };
  } catch (error) {
    const reply = errorReply(error, run);
    statusCode = error instanceof CallAbortedError ? error.statusCode : reply.status;
    writeRawReply(client, reply);
    return statusCode === -1 ? { isComplete: false, run } : { status: reply.status, isComplete: true, run };
  } finally {
    slot?.release();
    runner.untrack(run);
    markEnded(run, statusCode, platform);
  }
}

/** Sends the server's answer, then the socket's frames. Returns the status code of the run: 502 if the app broke it off. */
async function passOn(
  { response, socket, explainBreak }: SocketReply,
  run: string,
  client: Duplex,
  fromClient: PassThrough,
  signal: AbortSignal,
): Promise<number> {
  const status = response.statusCode ?? 502;
  if (socket) {
    writeRawHead(client, status, { ...response.headers, 'x-request-id': run });
    const statusCode = await relaySocket(client, fromClient, socket, signal);
    if (statusCode === 502) await explainBreak?.();
    return statusCode;
  }
  writeRawHead(client, status, { ...endToEndHeaders(response.headers), connection: 'close', 'x-request-id': run });
  await pipeline(response, client, { signal }).catch(() => client.destroy());
  return status;
}

/**
 * Passes an open WebSocket on in both directions until both sides are closed, and returns the status code of its run.
 * Frames are not changed, so that compression, subprotocols, pings and close codes are those of the app.
 */
async function relaySocket(client: Duplex, fromClient: Readable, app: Duplex, signal: AbortSignal): Promise<number> {
  const sent = new CloseWatch();
  const received = new CloseWatch();
  const stopListening = onAbort(signal, () => app.destroy());
  // The app's answer to a close frame may come after the client has closed its side.
  const upstream = pipeline(fromClient, sent, app).catch(() => app.destroy());
  await pipeline(app, received, client, { end: false }).catch(() => {});
  stopListening();
  app.destroy();
  await upstream;
  if (!client.destroyed) endClient(client, received, signal);
  if (signal.aborted) return (signal.reason as CallAbortedError).statusCode;
  if (received.hasClosed || sent.hasClosed) return 101;
  return client.destroyed || client.readableEnded ? -1 : 502;
}

/** A client whose app ended without a close frame gets one. */
function endClient(client: Duplex, received: CloseWatch, signal: AbortSignal): void {
  const reason = signal.reason instanceof CallAbortedError ? signal.reason.message : 'the app closed the connection';
  client.end(received.hasClosed ? undefined : closeFrame(internalError, reason));
  // The end of the client's side is only noticed if it is read.
  client.resume();
}

const internalError = 1011;

/** Passes WebSocket bytes through unchanged, and keeps the last ones. */
export class CloseWatch extends Transform {
  #last = Buffer.alloc(0);

  /**
   * Whether they end with a close frame: nothing follows it, and it has at most 125 bytes (RFC 6455, 5.5). A message that
   * broke off may end like one by chance.
   */
  get hasClosed(): boolean {
    return this.#last.some((byte, at) => byte === closeByte && frameEnd(this.#last, at) === this.#last.length);
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#last = Buffer.concat([this.#last, chunk.subarray(-maxCloseBytes)]).subarray(-maxCloseBytes);
    done(null, chunk);
  }
}

/** Where a frame ends: one of a client has a mask of four bytes. */
function frameEnd(bytes: Buffer, at: number): number {
  const second = bytes[at + 1] ?? 0;
  return at + 2 + (second & 0x7f) + (second & 0x80 ? 4 : 0);
}

/** A close frame from a server. */
export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  const head = Buffer.from([closeByte, 2 + text.length, code >> 8, code & 0xff]);
  return Buffer.concat([head, text]);
}

const closeByte = 0x88;
const maxCloseBytes = 2 + 4 + 125;
