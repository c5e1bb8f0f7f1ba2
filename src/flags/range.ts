import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import type { ChartRange } from '../views/timeline.ts';
import { type TimeFromNow, timeFlag } from './values.ts';

export interface RangeFlags {
  since?: TimeFromNow | undefined;
  until?: TimeFromNow | undefined;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The flags of commands that look at a stretch of time. */
export function rangeFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return command
    .option('--since <time>', 'from then on, or so long ago (24 h before the end if left out)', timeFlag)
    .option('--until <time>', 'up to then, or to so long ago (now if left out)', timeFlag);
}

/** Up to the end of this minute at most. Throws UsageError when the range ends before it begins (spec 4.7). */
export function resolveRange(flags: RangeFlags, time: number): ChartRange {
  const now = Math.ceil(time / minuteMs) * minuteMs;
  const until = Math.min(now, flags.until?.(now) ?? now);
  const since = flags.since?.(now) ?? until - dayMs;
  if (until < since) throw new UsageError('the range ends before it begins: look at --since and --until');
  return { since, until };
}
