import { setMaxListeners } from 'node:events';
import { missingParts, type Part, type PartPlan } from './parts.ts';
import type { TransferContext } from './transfer-context.ts';

/** Runs `count` workers concurrently. On the first failure, aborts the others, waits for them, then rethrows it. */
export async function runWorkers(
  count: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (count <= 1) return count === 1 ? work(signal) : undefined;
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  setMaxListeners(0, either);
  await Promise.all(Array.from({ length: count }, () => work(either).catch((error) => failure.abort(error))));
  failure.signal.throwIfAborted();
}

/** Works on the parts of a file that are not done yet, in their order, as many at a time as there may be requests. */
export async function forEachPart(
  plan: PartPlan,
  done: { has(number: number): boolean; readonly size: number },
  { requests, signal }: Pick<TransferContext, 'requests' | 'signal'>,
  work: (part: Part, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const missing = missingParts(plan, done);
  await runWorkers(Math.min(requests.maxLarge, plan.count - done.size), signal, async (stop) => {
    for (const part of missing) {
      if (stop.aborted) return;
      await work(part, stop);
    }
  });
  signal.throwIfAborted();
}
