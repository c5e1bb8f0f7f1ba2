import { STATUS_CODES } from 'node:http';
import { type Exchange, send } from './exchange.ts';
import type { ReplyFault, StatusFault } from './faults.ts';
import { expiredLink } from './links.ts';
import { json, page, type Reply, storageError } from './reply.ts';

/** Answers a request badly, as the fault says. */
export async function spoil(exchange: Exchange, fault: ReplyFault | StatusFault, now: number): Promise<void> {
  if (typeof fault === 'string') await mischief[fault](exchange);
  else send(exchange, statusReply(exchange, fault, now));
}

const mischief: Record<ReplyFault, (exchange: Exchange) => void | Promise<void>> = {
  'reset-before': reset,

  async 'reset-during'(exchange) {
    if (exchange.call.endpoint !== 'upload') return breakOff(exchange, await exchange.answer(), () => reset(exchange));
    exchange.request.once('data', () => reset(exchange)).once('end', () => reset(exchange));
  },

  async 'reset-after'(exchange) {
    await exchange.answer();
    reset(exchange);
  },

  stall() {},

  async truncated(exchange) {
    breakOff(exchange, await exchange.answer(), () => exchange.request.socket.end());
  },

  async malformed(exchange) {
    const { headers } = await exchange.answer();
    send(exchange, { status: 200, headers, body: '{"id": "p-1234' });
  },

  async empty(exchange) {
    const { headers } = await exchange.answer();
    send(exchange, { status: 200, headers, body: '' });
  },

  html(exchange) {
    send(exchange, page(502, '502 Bad Gateway'));
  },

  expired(exchange) {
    send(exchange, expiredLink);
  },

  async 'wrong-etag'(exchange) {
    const reply = await exchange.answer();
    send(exchange, { ...reply, headers: { ...reply.headers, etag: `"${'0'.repeat(32)}"` } });
  },
};

function statusReply({ call }: Exchange, { status, retryAfter, asDate }: StatusFault, now: number): Reply {
  const reason = STATUS_CODES[status] ?? 'Unknown';
  const reply =
    call.endpoint === 'upload'
      ? storageError(status, reason.replaceAll(' ', ''), reason)
      : json({ message: reason }, status);
  if (retryAfter === undefined) return reply;
  const wait = asDate ? new Date(now + retryAfter * 1000).toUTCString() : String(retryAfter);
  return { ...reply, headers: { ...reply.headers, 'retry-after': wait } };
}

/** A real reset, not a polite end: the other side sees ECONNRESET. */
function reset({ request }: Exchange): void {
  request.socket.resetAndDestroy();
}

/** Announces the whole answer, sends half of it, then leaves. An empty answer announces one byte more than it has. */
function breakOff({ response, call }: Exchange, { status, headers, body }: Reply, leave: () => void): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': Math.max(1, bytes.length) });
  call.status = status;
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), leave);
}
