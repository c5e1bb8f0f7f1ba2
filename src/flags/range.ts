import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import type { Range } from '../views/timeline.ts';
import { type Moment, momentFlag } from './values.ts';

export interface RangeFlags {
  since?: Moment | undefined;
  until?: Moment | undefined;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The flags of commands that look at a stretch of time. */
export function rangeFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return command
    .option('--since <time>', 'from then on, or so long ago (24 h before the end if left out)', momentFlag)
    .option('--until <time>', 'up to then, or to so long ago (now if left out)', momentFlag);
}

/** Up to the end of this minute at most. Throws UsageError when the range ends before it begins (spec 4.7). */
export function rangeOf(flags: RangeFlags, time: number): Range {
  const now = Math.ceil(time / minuteMs) * minuteMs;
  const until = Math.min(now, flags.until?.(now) ?? now);
  const since = flags.since?.(now) ?? until - dayMs;
  if (until < since) throw new UsageError('the range ends before it begins: look at --since and --until');
  return { since, until };
}
