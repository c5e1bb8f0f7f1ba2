import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import type { ReceivedRequest, ReceiverResponse } from '../../receiver/index.ts';
import { timeoutSignal } from '../waiting/index.ts';

type Sending = Pick<Context, 'settings' | 'signal' | 'silenceMs'>;

/** Of an answer, bytes: more than anybody reads of it. */
const maxResponseBytes = 1024 * 1024;
/** Headers about one connection only, which is not the next one. */
const connectionHeaders = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Sends a delivery to an address, with the same headers and the same bytes. Throws when there is no answer. */
export async function forwardDelivery(
  { settings, signal, silenceMs }: Sending,
  to: URL,
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
): Promise<ReceiverResponse> {
  const { sendStreamed } = await import('../../api/streamed.ts');
  const reply = await sendStreamed({
    ...{ method: 'POST', url: to, headers: withoutConnectionHeaders(headers), body, silenceMs },
    proxy: settings.proxy,
    signal: timeoutSignal(silenceMs, () => new UnavailableError(`no answer within ${silenceMs / 1000} s`), signal),
  });
  try {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of reply.chunks) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > maxResponseBytes) break;
    }
    return {
      status: reply.status,
      headers: withoutConnectionHeaders(joinValues(reply.headers)),
      body: Buffer.concat(pieces),
    };
  } finally {
    await reply.close();
  }
}

function withoutConnectionHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.has(name)));
}

function joinValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}
