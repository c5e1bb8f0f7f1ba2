import type { Context } from '../../context.ts';
import type { GantryError } from '../../errors.ts';
import { isRefusal } from './evidence.ts';

/** How long the platform may not know what a command has just created, in ms. */
const unknownMs = 60_000;

/**
 * Whether an error about what this command created `ageMs` ago may only be too early: until its record is there the
 * platform does not find it (404), and it denies what its authorizer does not know (403).
 */
export function isTooEarly(error: unknown, ageMs: number): error is GantryError {
  return ageMs <= unknownMs && isRefusal(error) && error.facts.status !== 405;
}

/** Repeats a request about what this command has just created until the platform knows it, for `maxMs` at most. */
export async function untilKnown<T>(request: () => Promise<T>, delay: Context['delay'], maxMs = unknownMs): Promise<T> {
  let waitedMs = 0;
  for (let pauseMs = 250; ; pauseMs = Math.min(2_000, pauseMs * 2)) {
    try {
      return await request();
    } catch (error) {
      if (waitedMs >= maxMs || !isTooEarly(error, waitedMs)) throw error;
    }
    await delay(pauseMs);
    waitedMs += pauseMs;
  }
}
