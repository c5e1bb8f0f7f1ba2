import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import type { ReceivedRequest, ReceiverResponse } from '../../receiver/index.ts';
import { checkSignature, deliveryRunId, isLoopback, openPort, parseDeliveryUrl } from '../webhooks/index.ts';
import type { CallTarget } from './call-target.ts';
import { waitForRun } from './wait-for-run.ts';

/** A receiver of ours, for the delivery of one run. */
export interface DeliveryReceiver {
  /** What the platform is given. */
  url: string;
  secret: string;
  /** The delivery of this run. Throws AppError when the run fails, PendingError at the time limit. */
  waitForDelivery: (target: CallTarget, runId: string, timeoutMs: number) => Promise<ReceivedRequest>;
  close: () => Promise<void>;
}

export interface DeliveryReceiverOptions {
  port: number;
  /** Where this machine is reached from outside. */
  publicUrl: string | undefined;
  /** One is made up if there is none. */
  secret: string | undefined;
}

/** After a successful run, the platform makes three attempts with up to five seconds between them. */
const maxDeliveryDelayMs = 30_000;

/** Opens a receiver on this machine. Warns where the platform cannot reach it. */
export async function openDeliveryReceiver(
  context: Context,
  options: DeliveryReceiverOptions,
): Promise<DeliveryReceiver> {
  const { progress, settings, now } = context;
  const { port, publicUrl, secret = randomBytes(24).toString('base64url') } = options;
  const given = publicUrl === undefined ? undefined : parseDeliveryUrl(publicUrl, '--public-url');
  const delivered = createDeferred<ReceivedRequest>();
  const wanted = createDeferred<string>();
  const onReceived = async (received: ReceivedRequest): Promise<ReceiverResponse> => {
    const { why, status } = checkSignature(received, secret, { now: now() });
    if (why !== null) {
      progress.note(`refused a delivery: ${why}`);
      return { status, body: `${why}\n` };
    }
    // It may come before the call that it is of has been answered.
    if (deliveryRunId(received.headers) !== (await wanted.value)) return { status: 400, body: 'of another run\n' };
    delivered.give(received);
    return { status: 200 };
  };
  const onRefused = (why: string) => progress.note(`refused ${why}`);
  const receiver = await openPort({ host: '127.0.0.1', port, onRequest: onReceived, onRejected: onRefused });
  if (!given && !isLoopback(settings.addresses.management.value)) progress.warn(unreachableWarning(receiver.url));
  return {
    url: given?.href ?? `${receiver.url}/`,
    secret,
    async waitForDelivery(target, runId, timeoutMs) {
      wanted.give(runId);
      const over = new AbortController();
      const signal = AbortSignal.any([context.signal, over.signal]);
      const run = waitForRun(context, { target, runId, timeoutMs }, signal);
      const missing = run.then(() => throwAfterDeliveryTimeout(context, target, runId, signal));
      try {
        return await Promise.race([delivered.value, missing]);
      } finally {
        missing.catch(() => {});
        over.abort();
      }
    },
    close: receiver.close,
  };
}

/** A promise that somebody else keeps. */
function createDeferred<T>() {
  let give: (value: T) => void = () => {};
  const value = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { value, give: (given: T) => give(given) };
}

function unreachableWarning(url: string) {
  return {
    severity: 'warning' as const,
    message: `the platform cannot reach ${url}`,
    why: 'that address is of this machine only',
    fix: '--public-url with the address of a tunnel to it, and --port so that the tunnel finds it',
  };
}

async function throwAfterDeliveryTimeout(
  { delay }: Context,
  { app }: CallTarget,
  runId: string,
  signal: AbortSignal,
): Promise<never> {
  for (let waited = 0; waited < maxDeliveryDelayMs; waited += 1_000) await delay(1_000, signal);
  throw new UnavailableError(`run ${runId} of ${app} ended well, but its webhook was not delivered`, {
    why: 'the platform has tried three times by now: it does not reach the address it was given',
    fix: '--public-url with an address that it reaches',
    details: { app, run: runId },
  });
}
