import type { Context } from '../../platform/context.ts';
import { lookAgain } from '../../platform/waiting/index.ts';
import { type RunDay, readRunDays, rowsWithin } from '../run-mirror/index.ts';
import type { StepCalls } from './step-calls.ts';

/** The clocks of the platform may differ by this much. */
const clocksDifferMs = 60_000;
/** Records may come later than responses: how long to wait before each next look. */
const pausesMs = [500, 1_000, 2_000, 4_000];

/** Reads the runs of calls that were answered, by their ids, and waits a little for those that are not there yet. */
export async function readServerHalf(context: Context, app: string, steps: readonly StepCalls[]): Promise<void> {
  const missing = new Map(steps.flatMap(({ calls }) => calls.flatMap((call) => (call.run ? [[call.run, call]] : []))));
  const [first] = steps;
  if (!first || missing.size === 0) return;
  await lookAgain(pausesMs, context.delay, async () => {
    const range = { app, since: first.startedAt - clocksDifferMs, until: context.platformNow() + clocksDifferMs };
    for await (const day of readRunDays(context, range)) {
      for (const row of rowsWithin(day, range)) {
        const id = day.runs.id(row);
        const call = missing.get(id);
        if (!call || !day.runs.hasEnded(row)) continue;
        missing.delete(id);
        call.record = recordOf(day.runs, row);
      }
    }
    return missing.size === 0;
  });
}

function recordOf(runs: RunDay['runs'], row: number) {
  const timing = runs.timing(row);
  // What the platform calls queue time has the start in it.
  return { ...timing, queueMs: Math.max(0, timing.queueMs - timing.coldStartMs) };
}
