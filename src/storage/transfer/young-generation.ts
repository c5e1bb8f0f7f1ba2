import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { every } from '../../kernel/clock.ts';

/** V8 uses one half at a time. */
const limitBytes = 8 * 2 ** 20;
const checkEveryMs = 10;

/**
 * Limits V8's young generation to 8 MiB: it would grow to 32 MiB and hold garbage. This saves a fifth of the memory of a
 * copy (npm run bench -- transfer) and of a map. Call the returned function when the work is over.
 */
export function limitYoungGeneration(): () => void {
  const limit = () => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (space && space.space_size >= limitBytes) setFlagsFromString('--semi-space-growth-factor=1');
  };
  // Repeated, because starting a thread resets the flag.
  const stopTimer = every(checkEveryMs, limit, { background: true });
  return () => {
    stopTimer();
    setFlagsFromString('--semi-space-growth-factor=2');
  };
}
