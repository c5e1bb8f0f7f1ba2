import { getHeapSpaceStatistics } from 'node:v8';
import { every } from '../../kernel/clock.ts';
import { setFlag, unsetFlag } from '../../kernel/v8-flags.ts';

/** The size of the young generation. V8 uses one half at a time. */
const limitBytes = 16 * 2 ** 20;
/** How much the old generation grows until it is collected again. V8 would let a small one grow to its fourfold. */
const slowGrowth = { flag: '--heap-growing-percent=150', usual: ['--heap-growing-percent=0'] };
const noGrowth = { flag: '--semi-space-growth-factor=1', usual: ['--semi-space-growth-factor=2'] };
const checkEveryMs = 10;

/**
 * Limits how much garbage V8 holds: the young generation to 16 MiB of the 32 that it would grow to, the old one to one and a
 * half of what is in use. This saves a quarter of the memory of a copy (npm run bench -- transfer) and of a map; half of it
 * would save a third, and take 8 percent longer. Call the returned function when the work is over.
 */
export function limitHeapGrowth(): () => void {
  const limit = () => {
    setFlag(slowGrowth);
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (space && space.space_size >= limitBytes) setFlag(noGrowth);
  };
  // Repeated, because starting a thread resets the flags.
  const stopTimer = every(checkEveryMs, limit, { background: true });
  return () => {
    stopTimer();
    unsetFlag(slowGrowth);
    unsetFlag(noGrowth);
  };
}
