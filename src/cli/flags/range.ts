import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { UsageError } from '../../kernel/errors.ts';
import type { ChartRange } from '../views/timeline.ts';
import { type TimeFromNow, timeFlag } from './values.ts';

export interface RangeFlags {
  since?: TimeFromNow | undefined;
  until?: TimeFromNow | undefined;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Adds the flags of commands that show a time range. */
export function rangeFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return command
    .option('--since <time>', 'start at this time, or this long ago (default: 24h before --until)', timeFlag)
    .option('--until <time>', 'end at this time, or this long ago (default: now)', timeFlag);
}

/** Ends at the current minute at the latest. Throws UsageError if the range ends before it begins (spec 4.7). */
export function resolveRange(flags: RangeFlags, time: number): ChartRange {
  const now = Math.ceil(time / minuteMs) * minuteMs;
  const until = Math.min(now, flags.until?.(now) ?? now);
  const since = flags.since?.(now) ?? until - dayMs;
  if (until < since) throw new UsageError('invalid range: --until is before --since');
  return { since, until };
}
