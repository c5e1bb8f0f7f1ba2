import { STATUS_CODES } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { pause } from '../../kernel/clock.ts';
import type { WireReply } from '../../platform/contract/endpoint.ts';
import type { getAppLogs } from '../../platform/contract/logs.ts';
import type { Platform } from '../endpoints/platform.ts';
import { expiredUrlReply, verifySignedUrl } from '../endpoints/storage.ts';
import { storageTarget } from '../http/read-request.ts';
import {
  type ByteStream,
  badGatewayPage,
  jsonReply,
  oauthError,
  type ReadableBody,
  type ServerReply,
  storageError,
  toReadableBody,
} from '../http/reply.ts';
import type { ReplyFault, StatusFault } from '../model/faults.ts';
import { parseObjectKey } from '../running/volumes/volume.ts';
import { type Exchange, sendHead, sendReply } from './exchange.ts';

export async function applyFault(
  exchange: Exchange,
  fault: ReplyFault | StatusFault,
  platform: Platform,
): Promise<void> {
  if (typeof fault === 'object') return sendReply(exchange, statusReply(exchange, fault, platform.now()));
  await actions[fault](exchange, platform);
}

type FaultAction = (exchange: Exchange, platform: Platform) => void | Promise<void>;

/** What is replied to a request that has no effect. */
const instead =
  (reply: ServerReply): FaultAction =>
  (exchange) =>
    sendReply(exchange, reply);

/** What a reply becomes. */
const altered =
  (change: (reply: ServerReply) => ServerReply): FaultAction =>
  async (exchange) =>
    sendReply(exchange, change(await exchange.handle()));

const actions: Record<ReplyFault, FaultAction> = {
  html: instead(badGatewayPage),
  expired: instead(expiredUrlReply),
  'slow-down': instead(storageError(503, 'SlowDown', 'Please reduce your request rate.')),
  slow_down: instead(oauthError('slow_down', 'poll 5 seconds slower')),

  none: altered((reply) => reply),
  malformed: altered(({ headers }) => ({ status: 200, headers, body: '{"id": "p-1234' })),
  empty: altered(({ headers }) => ({ status: 200, headers, body: '' })),
  null: altered(({ body }) =>
    jsonReply(JSON.parse(String(body) || 'null', (_, value) => (Array.isArray(value) ? null : value))),
  ),
  'wrong-etag': altered((reply) => ({ ...reply, headers: { ...reply.headers, etag: `"${'0'.repeat(32)}"` } })),
  'no-etag': altered(({ headers: { etag: _, ...headers }, ...reply }) => ({ ...reply, headers })),
  corrupt: altered((reply) => mapBody(reply, flipFirstByte)),
  overlapping: altered((reply) => mapLogPage(reply, (page) => ({ ...page, nextPageToken: overlappingToken(page) }))),
  shuffled: altered((reply) => mapLogPage(reply, (page) => ({ ...page, logs: page.logs?.toReversed() ?? null }))),

  'reset-before': reset,

  async 'reset-during'(exchange) {
    if (!isUpload(exchange)) return sendHalf(exchange, await exchange.handle(), () => reset(exchange));
    exchange.request.once('data', () => reset(exchange)).once('end', () => reset(exchange));
  },

  async 'reset-after'(exchange) {
    await exchange.handle();
    reset(exchange);
  },

  stall() {},

  async truncated(exchange) {
    await sendHalf(exchange, await exchange.handle(), () => exchange.request.socket.end());
  },

  async slow(exchange) {
    const reply = await exchange.handle(throttle(exchange.request));
    await sendReply(exchange, mapBody(reply, throttle));
  },

  async 'stall-during'(exchange) {
    if (!isUpload(exchange)) return sendHalf(exchange, await exchange.handle(), () => {});
    exchange.request.once('data', () => exchange.request.pause());
  },

  async changed(exchange, platform) {
    await sendHalf(exchange, await exchange.handle(), () => {
      replaceFile(exchange.url, platform);
      reset(exchange);
    });
  },
};

function statusReply({ url }: Exchange, { status, retryAfter, asDate }: StatusFault, now: number): ServerReply {
  const reason = STATUS_CODES[status] ?? 'Unknown';
  const reply = storageTarget(url)
    ? storageError(status, reason.replaceAll(' ', ''), reason)
    : jsonReply({ message: reason }, status);
  if (retryAfter === undefined) return reply;
  const wait = asDate ? new Date(now + retryAfter * 1000).toUTCString() : String(retryAfter);
  return { ...reply, headers: { ...reply.headers, 'retry-after': wait } };
}

/** Whether the request's body, rather than the reply's, is the content. */
function isUpload({ url }: Exchange): boolean {
  return ['upload', 'part'].includes(storageTarget(url) ?? '');
}

/** Sends a TCP RST: the client sees ECONNRESET. */
function reset({ request }: Exchange): void {
  request.socket.resetAndDestroy();
}

/**
 * Sends the head with the full content-length, then half of the body, then calls `then`. An empty body is declared one
 * byte too long; of a stream, the first chunk is sent.
 */
async function sendHalf(exchange: Exchange, reply: ServerReply, then: () => void): Promise<void> {
  const content = toReadableBody(reply);
  sendHead(exchange, reply, content.size === undefined ? undefined : Math.max(1, content.size));
  exchange.response.flushHeaders();
  const { size } = content;
  const half = size === undefined ? firstChunk(content.read()) : firstBytes(content.read(), Math.floor(size / 2));
  await pipeline(half, exchange.response, { end: false });
  then();
}

function mapBody(reply: ServerReply, transform: (chunks: ByteStream) => ByteStream): ServerReply {
  const content = toReadableBody(reply);
  const body: ReadableBody = { size: content.size, read: () => transform(content.read()) };
  return { ...reply, body };
}

type AppLogsPage = NonNullable<WireReply<typeof getAppLogs>>;

function mapLogPage(reply: ServerReply, change: (page: AppLogsPage) => AppLogsPage): ServerReply {
  return reply.body === '' ? reply : { ...reply, body: JSON.stringify(change(JSON.parse(String(reply.body)))) };
}

/** A token for a next page that starts two lines before the end of this one. */
function overlappingToken({ logs, nextPageToken }: AppLogsPage): string | null {
  return (nextPageToken && logs?.at(-3)?.timestamp) || (nextPageToken ?? null);
}

const throttledChunkBytes = 64 * 1024;
const throttleDelayMs = 62.5;

async function* throttle(chunks: ByteStream): ByteStream {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += throttledChunkBytes) {
      await pause(throttleDelayMs);
      yield chunk.subarray(at, at + throttledChunkBytes);
    }
  }
}

async function* firstChunk(chunks: ByteStream): ByteStream {
  for await (const chunk of chunks) return yield chunk;
}

/** The rest is read, but not sent. */
async function* firstBytes(chunks: ByteStream, bytes: number): ByteStream {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left > 0) yield chunk.subarray(0, left);
    left -= chunk.length;
  }
}

async function* flipFirstByte(chunks: ByteStream): ByteStream {
  let first = true;
  for await (const chunk of chunks) {
    if (first && chunk.length > 0) chunk[0] = (chunk[0] ?? 0) ^ 0xff;
    first = false;
    yield chunk;
  }
}

function replaceFile(url: URL, platform: Platform): void {
  const { location, names } = parseObjectKey(verifySignedUrl('GET', url, platform));
  platform.volumes.volume(location).write(names.join('/'), 'this was changed while it was read\n');
}
