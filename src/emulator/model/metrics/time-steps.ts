import type { resolutions } from '../../../platform/contract/metrics.ts';
import type { TimeRange } from '../time.ts';

/** A range in steps of the same length. Milliseconds since 1970. */
export interface TimeSteps extends TimeRange {
  /** The start of each. */
  times: readonly number[];
  stepMs: number;
  /** The step of a time in the range; the last one also has the end. */
  indexOf(time: number): number;
}

/** A higher resolution has more steps (spec 4.7). */
export function splitIntoSteps(range: TimeRange, resolution?: (typeof resolutions)[number]): TimeSteps {
  const count = stepCounts[resolution ?? 'standard'];
  const stepMs = Math.max(1, range.end - range.start) / count;
  return {
    ...range,
    stepMs,
    times: Array.from({ length: count }, (_, index) => range.start + index * stepMs),
    indexOf: (time) => Math.min(count - 1, Math.floor((time - range.start) / stepMs)),
  };
}

const stepCounts = { standard: 60, medium: 120, high: 240 };
