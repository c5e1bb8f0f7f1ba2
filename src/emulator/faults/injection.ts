import { STATUS_CODES } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import type { WireReply } from '../../contract/endpoint.ts';
import type { getAppLogs } from '../../contract/logs.ts';
import { readToken, tokenAfter } from '../logs/handlers.ts';
import type { Platform } from '../platform.ts';
import { announce, type Exchange, send } from '../server/exchange.ts';
import type { Body } from '../server/reply.ts';
import { type Content, contentOf, json, page, type Reply, storageError } from '../server/reply.ts';
import { checkLink, expiredLink } from '../storage/signed-url.ts';
import { storageTarget } from '../storage/target.ts';
import { readKey } from '../volumes/object-key.ts';
import { Shelf } from '../volumes/volumes.ts';
import type { ReplyFault, StatusFault } from './faults.ts';

/** Answers a request badly, as the fault says. */
export async function spoil(exchange: Exchange, fault: ReplyFault | StatusFault, platform: Platform): Promise<void> {
  if (typeof fault === 'string') await mischief[fault](exchange, platform);
  else await send(exchange, statusReply(exchange, fault, platform.now()));
}

const mischief: Record<ReplyFault, (exchange: Exchange, platform: Platform) => void | Promise<void>> = {
  'reset-before': reset,

  async 'reset-during'(exchange) {
    if (!isSent(exchange)) return breakOff(exchange, await exchange.answer(), () => reset(exchange));
    exchange.request.once('data', () => reset(exchange)).once('end', () => reset(exchange));
  },

  async 'reset-after'(exchange) {
    await exchange.answer();
    reset(exchange);
  },

  stall() {},

  async truncated(exchange) {
    await breakOff(exchange, await exchange.answer(), () => exchange.request.socket.end());
  },

  async malformed(exchange) {
    const { headers } = await exchange.answer();
    await send(exchange, { status: 200, headers, body: '{"id": "p-1234' });
  },

  async empty(exchange) {
    const { headers } = await exchange.answer();
    await send(exchange, { status: 200, headers, body: '' });
  },

  html: (exchange) => send(exchange, page(502, '502 Bad Gateway')),

  expired: (exchange) => send(exchange, expiredLink),

  'slow-down': (exchange) => send(exchange, storageError(503, 'SlowDown', 'Please reduce your request rate.')),

  async slow(exchange) {
    const reply = await exchange.answer(slowly(exchange.request));
    await send(exchange, altered(reply, slowly));
  },

  async 'stall-during'(exchange) {
    if (!isSent(exchange)) return breakOff(exchange, await exchange.answer(), () => {});
    exchange.request.once('data', () => exchange.request.pause());
  },

  async 'wrong-etag'(exchange) {
    const reply = await exchange.answer();
    await send(exchange, { ...reply, headers: { ...reply.headers, etag: `"${'0'.repeat(32)}"` } });
  },

  async 'no-etag'(exchange) {
    const { headers, ...reply } = await exchange.answer();
    const { etag, ...others } = headers;
    await send(exchange, { ...reply, headers: others });
  },

  async changed(exchange, platform) {
    await breakOff(exchange, await exchange.answer(), () => {
      replaceFile(exchange.url, platform);
      reset(exchange);
    });
  },

  async corrupt(exchange) {
    await send(exchange, altered(await exchange.answer(), firstByteFlipped));
  },

  async overlapping(exchange) {
    await send(
      exchange,
      ofLogs(await exchange.answer(), (page) => ({ ...page, nextPageToken: tokenBefore(page) })),
    );
  },

  async shuffled(exchange) {
    await send(
      exchange,
      ofLogs(await exchange.answer(), (page) => ({ ...page, logs: page.logs?.toReversed() ?? null })),
    );
  },

  async 'no-range'(exchange) {
    delete exchange.request.headers.range;
    await send(exchange, await exchange.answer());
  },
};

function statusReply({ url }: Exchange, { status, retryAfter, asDate }: StatusFault, now: number): Reply {
  const reason = STATUS_CODES[status] ?? 'Unknown';
  const reply = storageTarget(url)
    ? storageError(status, reason.replaceAll(' ', ''), reason)
    : json({ message: reason }, status);
  if (retryAfter === undefined) return reply;
  const wait = asDate ? new Date(now + retryAfter * 1000).toUTCString() : String(retryAfter);
  return { ...reply, headers: { ...reply.headers, 'retry-after': wait } };
}

/** Whether the content is on its way to us: an archive, or a part of a file. */
function isSent({ url }: Exchange): boolean {
  return ['upload', 'part'].includes(storageTarget(url) ?? '');
}

/** A real reset, not a polite end: the other side sees ECONNRESET. */
function reset({ request }: Exchange): void {
  request.socket.resetAndDestroy();
}

/**
 * Announces the whole answer, sends half of it, then leaves. An empty answer announces one byte more than it has; of a
 * stream the first piece is sent.
 */
async function breakOff(exchange: Exchange, reply: Reply, leave: () => void): Promise<void> {
  const content = contentOf(reply);
  announce(exchange, reply, content.size === undefined ? undefined : Math.max(1, content.size));
  exchange.response.flushHeaders();
  const half = content.size === undefined ? first(content.read(0, 0)) : content.read(0, Math.floor(content.size / 2));
  await pipeline(half, exchange.response, { end: false });
  leave();
}

/** The same answer with its content led through something. */
function altered(reply: Reply, through: (chunks: Body) => Body): Reply {
  const content = contentOf(reply);
  const body: Content = { size: content.size, read: (start, end) => through(content.read(start, end)) };
  return { ...reply, body };
}

type LogPage = NonNullable<WireReply<typeof getAppLogs>>;

function ofLogs(reply: Reply, change: (page: LogPage) => LogPage): Reply {
  return reply.body === '' ? reply : { ...reply, body: JSON.stringify(change(JSON.parse(String(reply.body)))) };
}

/** The same page, but the next one begins two lines before the end of this one. */
function tokenBefore({ logs, nextPageToken }: LogPage): string | null {
  if (!nextPageToken) return null;
  const backward = (logs?.[0]?.timestamp ?? '') > (logs?.at(-1)?.timestamp ?? '');
  return tokenAfter(readToken(nextPageToken) + (backward ? 2 : -2));
}

const slowBytes = 64 * 1024;
const slowMs = 62.5;

async function* slowly(chunks: Body): Body {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += slowBytes) {
      await setTimeout(slowMs);
      yield chunk.subarray(at, at + slowBytes);
    }
  }
}

async function* first(chunks: Body): Body {
  for await (const chunk of chunks) return yield chunk;
}

async function* firstByteFlipped(chunks: Body): Body {
  let first = true;
  for await (const chunk of chunks) {
    if (first && chunk.length > 0) chunk[0] = (chunk[0] ?? 0) ^ 0xff;
    first = false;
    yield chunk;
  }
}

/** Another file takes the place of the one a link is for. */
function replaceFile(link: URL, platform: Platform): void {
  const { place, names } = readKey(checkLink('GET', link, platform));
  new Shelf(platform.volumes, place, platform.now).write(names, 'this was changed while it was read\n');
}
