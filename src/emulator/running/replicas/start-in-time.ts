import type { BuildRecord } from '../../model/state/records.ts';
import { type ReplicaOptions, StartTimeoutError } from './replica.ts';

/** Rejects if the replica does not get ready, takes too long, or the signal aborts. */
export async function startInTime(
  ready: Promise<void>,
  { settings }: BuildRecord,
  limit: ReplicaOptions['limit'],
  signal: AbortSignal,
): Promise<void> {
  const { deploymentInitializationTimeout: seconds, runtime } = settings;
  // The replica of a server has the same limit, and knows what it was waiting for.
  const limitSeconds = seconds + (runtime === 'custom' ? 5 : 0);
  let stopWaiting = () => {};
  const tooLate = new Promise<never>((_, failed) => {
    const onAbort = () => failed(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const stopTimer = limit(limitSeconds * 1000, () =>
      failed(new StartTimeoutError(`it was not ready within ${seconds} seconds`)),
    );
    stopWaiting = () => {
      stopTimer();
      signal.removeEventListener('abort', onAbort);
    };
  });
  await Promise.race([ready, tooLate]).finally(stopWaiting);
}
