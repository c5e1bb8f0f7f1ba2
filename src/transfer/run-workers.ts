import { setMaxListeners } from 'node:events';

/**
 * Runs so many of the same work side by side. When one fails the others are told to stop, and its failure is the one
 * that is thrown, after all have ended.
 */
export async function runWorkers(
  count: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (count <= 1) return count === 1 ? work(outer) : undefined;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const stop = () => stopping.abort(outer.reason);
  outer.addEventListener('abort', stop);
  const failures: unknown[] = [];
  const all = Array.from({ length: count }, async () => {
    try {
      await work(stopping.signal);
    } catch (error) {
      failures.push(error);
      stopping.abort(error);
    }
  });
  await Promise.all(all);
  outer.removeEventListener('abort', stop);
  if (failures.length > 0) throw failures[0];
}
