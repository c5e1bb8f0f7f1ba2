import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** What V8 gives its new objects, in bytes: twice the 4 MiB of which it uses one half at a time. */
const enough = 8 * 2 ** 20;
const lookEveryMs = 10;

/**
 * Keeps V8 from giving new objects ever more room: it goes up to 32 MiB, and what is long dead stays in it. Less costs
 * a few percent of the time (measured). The size itself is settled when the process starts, only how it grows is not;
 * a V8 that does not obey does no harm. Call what it gives when the work is over.
 */
export function limitNursery(): () => void {
  const look = () => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (space && space.space_size >= enough) setFlagsFromString('--semi-space-growth-factor=1');
  };
  // Again and again: a thread that is started sets it back.
  const timer = setInterval(look, lookEveryMs).unref();
  return () => {
    clearInterval(timer);
    setFlagsFromString('--semi-space-growth-factor=2');
  };
}
