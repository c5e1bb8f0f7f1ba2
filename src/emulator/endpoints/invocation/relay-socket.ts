import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CallAbortedError } from '../../running/replicas/replica.ts';
import { closeFrame, FrameTracker } from './frame-tracker.ts';

/**
 * Passes an open WebSocket on in both directions until both sides are closed, and returns the status code of its run.
 * Frames are not changed, so that compression, subprotocols, pings and close codes are those of the app.
 */
export async function relaySocket(
  client: Duplex,
  fromClient: Readable,
  app: Duplex,
  signal: AbortSignal,
): Promise<number> {
  const sent = new FrameTracker();
  const received = new FrameTracker();
  const abort = () => app.destroy();
  signal.addEventListener('abort', abort, { once: true });
  // The app's answer to a close frame may come after the client has closed its side.
  const upstream = pipeline(fromClient, sent, app).catch(() => app.destroy());
  await pipeline(app, received, client, { end: false }).catch(() => {});
  signal.removeEventListener('abort', abort);
  app.destroy();
  await upstream;
  endClient(client, received, signal);
  if (signal.aborted) return (signal.reason as CallAbortedError).statusCode;
  if (received.hasClosed || sent.hasClosed) return 101;
  return client.destroyed || client.readableEnded ? -1 : 502;
}

/** A client whose app ended without a close frame gets one, if that does not interrupt a frame. */
function endClient(client: Duplex, received: FrameTracker, signal: AbortSignal): void {
  if (client.destroyed) return;
  if (!received.hasClosed && !received.isBetweenFrames) {
    client.destroy();
    return;
  }
  const reason = signal.reason instanceof CallAbortedError ? signal.reason.message : 'the app closed the connection';
  client.end(received.hasClosed ? undefined : closeFrame(internalError, reason));
  // The end of the client's side is only noticed if it is read.
  client.resume();
}

const internalError = 1011;
