import { EventEmitter, on } from 'node:events';
import type { Context } from '../../platform/context.ts';
import { isLoopbackHost } from '../../platform/contract/address.ts';
import { decodeBody } from '../../platform/replies/index.ts';
import { openReceiver, type ReceivedRequest, type ReceiverResponse } from '../receiver/index.ts';
import { forwardDelivery, parseDeliveryUrl } from './forward.ts';
import { checkSignature, deliveryRunId, readWebhookSecret, type SignatureCheck } from './signature.ts';

interface ListenOptions {
  host: string;
  /** Default: 4300, or a free port if that is in use. */
  port: number | undefined;
  forward: string | undefined;
  secretFile: string | undefined;
}

/** Emitted once with the URL, then for each delivery. */
export type ListenEvent = { type: 'listening'; url: string } | ShownDelivery;

export type ShownDelivery = ReturnType<typeof describeDelivery>;

/**
 * Receives deliveries until Ctrl-C. Each one is checked, forwarded if requested, and yielded. Deliveries with a bad signature are not forwarded.
 */
export async function* listenForDeliveries(
  context: Context,
  { host, port, forward, secretFile }: ListenOptions,
): AsyncGenerator<ListenEvent> {
  const { progress, signal, now } = context;
  const secret = await readWebhookSecret(context, secretFile);
  const forwardUrl = forward === undefined ? undefined : parseDeliveryUrl(forward, '--forward');
  const events = new EventEmitter();
  const receiver = await openReceiver({
    host,
    port,
    usualPort: 4300,
    async onRequest(received) {
      const check = checkSignature(received, secret, { now: now() });
      const url = check.signature === 'bad' ? undefined : forwardUrl;
      const response: ReceiverResponse | 'drop' = url
        ? await tryForward(context, url, received)
        : { status: check.status, ...(check.why ? { body: `${check.why}\n` } : {}) };
      events.emit('delivery', describeDelivery(received, check, now(), response, url));
      return response;
    },
    onRejected: (why) => progress.note(`rejected ${why}`),
  });
  try {
    const checks = secret
      ? 'checking signatures'
      : 'not checking signatures: pass --secret-file or set GANTRY_WEBHOOK_SECRET';
    progress.note(`listening on ${receiver.url}; ${checks}; press Ctrl-C to stop`);
    if (!isLoopbackHost(new URL(receiver.url)) && !secret)
      progress.warn('anyone who can reach this port can send fake deliveries');
    // Subscribes before the URL is yielded, because the first delivery may arrive at once.
    const deliveries = on(events, 'delivery', { signal });
    yield { type: 'listening', url: receiver.url };
    for await (const [delivery] of deliveries) yield delivery;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await receiver.close();
  }
}

/** Without a response from `url` the sender gets none either: the platform retries then, but not after a 5xx. */
async function tryForward(context: Context, url: URL, received: ReceivedRequest): Promise<ReceiverResponse | 'drop'> {
  try {
    return await forwardDelivery(context, url, received);
  } catch (error) {
    if (!context.signal.aborted) context.progress.note(`not forwarded: ${(error as Error).message}`);
    return 'drop';
  }
}

function describeDelivery(
  { path, headers, body }: ReceivedRequest,
  { signature, why }: SignatureCheck,
  now: number,
  response: ReceiverResponse | 'drop',
  forwardUrl: URL | undefined,
) {
  return {
    type: 'delivery' as const,
    receivedAt: new Date(now).toISOString(),
    path,
    run: deliveryRunId(headers),
    signature,
    why,
    statusCode: response === 'drop' ? null : response.status,
    forwardedTo: forwardUrl?.href ?? null,
    bytes: body.length,
    headers,
    ...decodeBody(body),
  };
}
