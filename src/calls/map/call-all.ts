import type { AdaptiveWidth } from '../../storage/transfer/adaptive-width.ts';
import type { MapInput } from './input-file.ts';

interface CallAllOptions {
  inputs: AsyncIterable<MapInput[]>;
  width: AdaptiveWidth;
  limit: () => number;
  isOver: () => boolean;
  /** Monotonic time in ms. */
  elapsed: () => number;
}

/**
 * Makes a call for each input, as many at a time as the limit allows. After a failure, or when `isOver`, starts no more
 * and waits for those that are in flight. Throws the first failure.
 */
export async function callAll(
  { inputs, width, limit: allowed, isOver, elapsed }: CallAllOptions,
  call: (input: MapInput) => Promise<void>,
): Promise<void> {
  let running = 0;
  let failure: { reason: unknown } | undefined;
  let wake = () => {};
  const start = async (input: MapInput) => {
    const { round } = width;
    const startedAt = elapsed();
    running++;
    try {
      await call(input);
      width.recover(1);
      if (running >= width.current) width.measure({ round, bytes: 1, ms: Math.max(1, elapsed() - startedAt) });
    } catch (reason) {
      failure ??= { reason };
    }
    running--;
    wake();
  };
  const untilFewer = async (limit: () => number) => {
    while (running >= limit()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  try {
    for await (const some of inputs) {
      for (const input of some) {
        await untilFewer(allowed);
        if (failure || isOver()) break;
        start(input);
      }
      if (failure || isOver()) break;
    }
  } catch (reason) {
    failure ??= { reason };
  }
  await untilFewer(() => 1);
  if (failure) throw failure.reason;
}
