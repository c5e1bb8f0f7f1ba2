import { safeParse } from 'valibot';
import type { Context } from '../../platform/context.ts';
import { FunctionReply } from '../../platform/contract/invocation.ts';
import type { Run } from '../../platform/contract/runs.ts';
import { decodeBody } from '../../platform/replies/index.ts';
import { tryRequest, waitForChange } from '../../platform/waiting/index.ts';
import type { ReceivedRequest } from '../receiver/index.ts';
import { fetchRun, hasEnded } from '../runs/index.ts';
import type { RunDelivery } from '../webhooks/index.ts';

export type EndedRun = Awaited<ReturnType<typeof awaitDelivery>>;

interface DeliveryWait {
  app: string;
  run: string;
  delivery: Pick<RunDelivery, 'arrived'> | undefined;
  wait: (signal: AbortSignal) => Promise<Run>;
  waitForDelivery: (signal: AbortSignal) => Promise<ReceivedRequest | undefined>;
}

/** The record of a run may be late that has delivered something else than a result. In ms. */
const latePausesMs = [500, 1_000, 2_000, 4_000, 8_000];

/**
 * Waits for the end of a run and for what it delivers: the delivery may never come, and the record may be late. Then the run
 * is undefined, or one that goes on. A delivery does not say whether the run has failed, unless it is the result of a function.
 */
export async function awaitDelivery(context: Context, { app, run: id, delivery, wait, waitForDelivery }: DeliveryWait) {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const waited = wait(signal);
  try {
    const run = await Promise.race([waited, ...(delivery ? [delivery.arrived.then(() => undefined)] : [])]);
    if (run) return { run, received: delivery && (await waitForDelivery(signal)) };
    const received = await delivery?.arrived;
    if (received && isResult(received)) return { run: undefined, received };
    const look = () => tryRequest(context, (api) => fetchRun(api, { project: context.project, app, run: id }));
    const isKnown = (listed?: Run) => listed !== undefined && hasEnded(listed);
    return { run: await waitForChange(look, isKnown, context.delay, latePausesMs), received };
  } finally {
    waited.catch(() => {});
    stop.abort();
  }
}

const isResult = ({ body }: ReceivedRequest) => safeParse(FunctionReply, decodeBody(body).body).success;
