import { setMaxListeners } from 'node:events';

/**
 * Runs `count` workers concurrently. On the first failure, aborts the others, waits for them, then rethrows it.
 */
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
