import { randomBytes } from 'node:crypto';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { PendingError, UnavailableError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import { openReceiver, type ReceivedRequest, type ReceiverResponse } from '../../receiver/index.ts';
import { checkSignature, deliveryRunId, parseDeliveryUrl } from '../webhooks/index.ts';
import type { CallTarget } from './call-target.ts';
import { platformIsHere } from './platform-is-here.ts';
import { waitForRun } from './wait-for-run.ts';

/** Receives the webhook delivery of one run. */
export interface DeliveryReceiver {
  /** The webhook URL for the platform. */
  url: string;
  secret: string;
  /** Resolves with the delivery of the run. Throws AppError if the run fails, PendingError at the time limit. */
  waitForDelivery: (target: CallTarget, runId: string, timeoutMs: number) => Promise<ReceivedRequest>;
  close: () => Promise<void>;
}

export interface DeliveryReceiverOptions {
  port: number;
  /** The URL under which the platform reaches this machine. */
  publicUrl: string | undefined;
  /** Random if undefined. */
  secret: string | undefined;
}

/** The platform makes three attempts, up to five seconds apart, after the run has ended. */
const maxDeliveryDelayMs = 30_000;

/** Opens a receiver on this machine. Warns if the platform cannot reach it. */
export async function openDeliveryReceiver(
  context: Context,
  options: DeliveryReceiverOptions,
): Promise<DeliveryReceiver> {
  const { progress, now } = context;
  const { port, publicUrl, secret = randomBytes(24).toString('base64url') } = options;
  const givenUrl = publicUrl === undefined ? undefined : parseDeliveryUrl(publicUrl, '--public-url');
  const delivery = createDeferred<ReceivedRequest>();
  const expectedRunId = createDeferred<string>();
  const onRequest = async (received: ReceivedRequest): Promise<ReceiverResponse> => {
    const { why, status } = checkSignature(received, secret, { now: now() });
    if (why !== null) {
      progress.note(`rejected a delivery: ${why}`);
      return { status, body: `${why}\n` };
    }
    // The delivery may arrive before the response that has the run id.
    if (deliveryRunId(received.headers) !== (await expectedRunId.promise)) {
      return { status: 400, body: 'delivery of another run\n' };
    }
    delivery.resolve(received);
    return { status: 200 };
  };
  const onRejected = (why: string) => progress.note(`rejected ${why}`);
  const receiver = await openReceiver({ host: '127.0.0.1', port, onRequest, onRejected });
  const isReachable = givenUrl || platformIsHere(context);
  if (!isReachable) progress.warn(unreachableWarning(receiver.url));
  return {
    url: givenUrl?.href ?? `${receiver.url}/`,
    secret,
    async waitForDelivery(target, runId, timeoutMs) {
      expectedRunId.resolve(runId);
      const done = new AbortController();
      const signal = AbortSignal.any([context.signal, done.signal]);
      const startedAt = context.elapsed();
      const run = waitForRun(context, { target, runId, timeoutMs }, signal);
      const missed = run.then(() => {
        const leftMs = Math.max(0, timeoutMs - (context.elapsed() - startedAt));
        return throwAfterDeliveryTimeout(context, { target, runId, leftMs }, signal);
      });
      try {
        return await Promise.race([delivery.promise, missed]);
      } finally {
        missed.catch(() => {});
        done.abort();
      }
    },
    close: receiver.close,
  };
}

function createDeferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}

function unreachableWarning(url: string) {
  return {
    severity: 'warning' as const,
    message: `the platform cannot reach ${url}`,
    why: 'it is an address of this machine',
    fix: 'pass the URL of a tunnel to it as --public-url, and its port as --port',
  };
}

async function throwAfterDeliveryTimeout(
  { delay }: Context,
  { target: { app }, runId, leftMs }: { target: CallTarget; runId: string; leftMs: number },
  signal: AbortSignal,
): Promise<never> {
  const untilMs = Math.min(leftMs, maxDeliveryDelayMs);
  for (let waitedMs = 0; waitedMs < untilMs; waitedMs += 1_000)
    await delay(Math.min(1_000, untilMs - waitedMs), signal);
  if (leftMs < maxDeliveryDelayMs) {
    throw new PendingError(`run ${runId} of ${app} succeeded, but its webhook was not delivered in time`, {
      why: `the platform delivers up to ${duration(maxDeliveryDelayMs)} after the run, and --timeout ended before`,
      fix: gantryCommand`runs get ${app} ${runId}`,
      details: { app, run: runId },
    });
  }
  throw new UnavailableError(`run ${runId} of ${app} succeeded, but its webhook was not delivered`, {
    why: 'the platform made three attempts and cannot reach the webhook URL',
    fix: 'pass a URL that the platform can reach as --public-url',
    details: { app, run: runId },
  });
}
