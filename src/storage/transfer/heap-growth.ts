import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { every } from '../../kernel/clock.ts';

/** Of the process: below, V8 grows as it likes, since collecting garbage takes time. */
const freeBytes = 100e6;
/** Of the young generation. V8 uses one half at a time. */
const limitBytes = 8 * 2 ** 20;
/** Of the old one, until it is collected again, over what was left of it. V8 would let a small one grow to its fourfold. */
const growingPercent = 50;
const checkEveryMs = 10;

/**
 * Limits how much garbage V8 holds, once there is much: the young generation to 8 MiB of the 32 that it would grow to, the
 * old one to half of what is in use. This saves a third of the memory of a copy (npm run bench -- transfer) and of a map. Call the returned
 * function when the work is over.
 */
export function limitHeapGrowth(): () => void {
  const limit = () => {
    const isSmall = process.memoryUsage.rss() < freeBytes;
    setFlagsFromString(`--heap-growing-percent=${isSmall ? 0 : growingPercent}`);
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (space && space.space_size >= (isSmall ? 2 : 1) * limitBytes) setFlagsFromString('--semi-space-growth-factor=1');
  };
  // Repeated, because starting a thread resets the flags.
  const stopTimer = every(checkEveryMs, limit, { background: true });
  return () => {
    stopTimer();
    setFlagsFromString('--heap-growing-percent=0');
    setFlagsFromString('--semi-space-growth-factor=2');
  };
}
