import { expect, test } from 'vitest';
import { noCounts, readCounts } from '../../../src/insight/monitor/call-counter.ts';
import type { Api } from '../../../src/platform/api/client.ts';
import type { RunBucket } from '../../../src/platform/contract/runs.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 20, 12);

/** What a counter tells after each reading, a minute after the one before. */
async function told(readings: Omit<RunBucket, 'startTime'>[][]) {
  let now = start;
  const context = { project: 'p-1', platformNow: () => now };
  let kept = noCounts(context);
  const counts: unknown[] = [];
  for (const buckets of readings) {
    now += minute;
    const at = (index: number) => new Date(start + index * minute).toISOString();
    const reply = { aggregatedData: buckets.map((bucket, index) => ({ ...bucket, startTime: at(index) })) };
    kept = await readCounts(context, (async () => reply) as unknown as Api, 'web', kept);
    counts.push(kept.told.responseSeconds);
  }
  return counts;
}

const open = { totalRequests: 2 };
const timed = { totalRequests: 2, successfulRequests: 2, avgResponseTimeMs: 500 };
const untimed = { totalRequests: 2, successfulRequests: 1, failedRequests: 1 };

test.each<[string, Parameters<typeof told>[0], (number | null)[]]>([
  ['the sum of all that have ended', [[open], [timed, timed]], [0, 2]],
  ['not known where an average is missing', [[timed], [timed, untimed]], [1, null]],
  ['known as soon as the platform tells it', [[untimed], [timed]], [null, 1]],
  ['never less than before', [[timed], []], [1, 1]],
])('the response time of calls is %s', async (_, readings, expected) => {
  expect(await told(readings)).toEqual(expected);
});
