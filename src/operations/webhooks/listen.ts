import { EventEmitter, on } from 'node:events';
import type { Context } from '../../context.ts';
import type { ReceivedRequest, ReceiverResponse } from '../../receiver/index.ts';
import { type DecodedBody, decodeBody } from '../replies/index.ts';
import { checkSignature, deliveryRunId, type SignatureCheck } from './check-signature.ts';
import { createDeliveryId, storeDelivery } from './delivery-store.ts';
import { isLoopback, parseDeliveryUrl } from './delivery-url.ts';
import { forwardDelivery } from './forward.ts';
import { openPort } from './open-port.ts';
import { readWebhookSecret } from './secret.ts';

export interface ListenOptions {
  host: string;
  /** Undefined takes the usual one, or a free one when that is taken. */
  port: number | undefined;
  /** Where deliveries are passed on to. */
  forward: string | undefined;
  secretFile: string | undefined;
}

/** What a listener tells: where it listens, then each delivery. */
export type ListenEvent = { type: 'listening'; url: string } | ShownDelivery;

export interface ShownDelivery extends DecodedBody, Omit<SignatureCheck, 'status'> {
  type: 'delivery';
  id: string;
  /** RFC 3339, UTC. */
  receivedAt: string;
  path: string;
  /** Empty when it says none. */
  runId: string;
  /** What the sender was answered; null when it got no answer. */
  status: number | null;
  /** Where it was passed on to. */
  forwardedTo: string | null;
  bytes: number;
  headers: Record<string, string>;
}

const defaultPort = 4300;

/**
 * Takes deliveries until Ctrl-C. Each is checked, kept for `webhooks replay`, passed on where that is wanted, and told
 * of. What is badly signed goes nowhere.
 */
export async function* listenForDeliveries(
  context: Context,
  { host, port, forward, secretFile }: ListenOptions,
): AsyncGenerator<ListenEvent> {
  const { progress, signal, settings, now } = context;
  const secret = await readWebhookSecret(context, secretFile);
  const to = forward === undefined ? undefined : parseDeliveryUrl(forward, '--forward');
  const heard = new EventEmitter();
  let complained = false;
  let number = 0;
  const keep = async (delivery: ShownDelivery, body: Buffer) => {
    const { id, receivedAt, path, headers, forwardedTo } = delivery;
    try {
      await storeDelivery(settings.folders.state, {
        id,
        receivedAt,
        path,
        headers,
        forwardedTo,
        body: body.toString('base64'),
      });
    } catch (error) {
      if (!complained) progress.warn(`deliveries cannot be kept for webhooks replay: ${(error as Error).message}`);
      complained = true;
    }
  };
  const receiver = await open(host, port, {
    async onRequest(received) {
      const found = checkSignature(received, secret, { now: now() });
      const answer: ReceiverResponse | 'drop' =
        found.signature === 'bad' || !to
          ? { status: found.status, ...(found.why ? { body: `${found.why}\n` } : {}) }
          : await tryForward(context, to, received);
      const id = createDeliveryId(now(), number++);
      const delivery = describeDelivery(
        { id, ...received },
        found,
        now(),
        answer,
        found.signature === 'bad' ? undefined : to,
      );
      await keep(delivery, received.body);
      heard.emit('delivery', delivery);
      return answer;
    },
    onRejected: (why) => progress.note(`refused ${why}`),
  });
  try {
    const checks = secret
      ? 'signatures are checked'
      : 'signatures are not checked: give --secret-file or GANTRY_WEBHOOK_SECRET';
    progress.note(`listening on ${receiver.url}; ${checks}; Ctrl-C stops it`);
    if (!isLoopback(receiver.url) && !secret)
      progress.warn('whoever reaches this port can send what looks like a delivery');
    // Begun before it is told where: the first delivery may come at once.
    const deliveries = on(heard, 'delivery', { signal });
    yield { type: 'listening', url: receiver.url };
    for await (const [delivery] of deliveries) yield delivery;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await receiver.close();
  }
}

async function open(
  host: string,
  port: number | undefined,
  on: Pick<Parameters<typeof openPort>[0], 'onRequest' | 'onRejected'>,
) {
  if (port !== undefined) return openPort({ host, port, ...on });
  return openPort({ host, port: defaultPort, ...on }).catch(() => openPort({ host, port: 0, ...on }));
}

/**
 * When the target does not answer, the connection is closed without an answer: the platform retries then, but not after
 * a 5xx.
 */
async function tryForward(context: Context, to: URL, received: ReceivedRequest): Promise<ReceiverResponse | 'drop'> {
  try {
    return await forwardDelivery(context, to, received);
  } catch (error) {
    if (!context.signal.aborted) context.progress.note(`not passed on: ${(error as Error).message}`);
    return 'drop';
  }
}

function describeDelivery(
  { id, path, headers, body }: ReceivedRequest & { id: string },
  { signature, why }: SignatureCheck,
  now: number,
  answer: ReceiverResponse | 'drop',
  to: URL | undefined,
): ShownDelivery {
  return {
    ...{ type: 'delivery', id, receivedAt: new Date(now).toISOString(), path },
    ...{ runId: deliveryRunId(headers), signature, why },
    status: answer === 'drop' ? null : answer.status,
    forwardedTo: to?.href ?? null,
    ...{ bytes: body.length, headers, ...decodeBody(body) },
  };
}
