import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { readAppCost } from '../../../src/operations/apps/app-cost.ts';

const reply = {
  costs: {
    '2026-11-20': { total_cost_cents: 3 },
    '2026-11-18T00:00:00Z': { total_cost_cents: 1 },
    '2026-11-19': { total_cost_cents: 2 },
  },
};
/** Noon of that day, here. */
const noonOf = (day: number) => new Date(2026, 10, day, 12).getTime();

async function costs(range: { since?: number; until?: number }, returned: object = reply) {
  const notes: string[] = [];
  const context = { api: async () => returned, project: 'p-1', progress: { note: (text: string) => notes.push(text) } };
  const found = await readAppCost(context as never, 'web', range);
  return { days: Object.keys(found.costs ?? {}).map((day) => day.slice(8, 10)), notes };
}

describe('the cost of an app', () => {
  test.each<[since: number | undefined, until: number | undefined, days: string[]]>([
    [undefined, undefined, ['18', '19', '20']],
    [19, undefined, ['19', '20']],
    [undefined, 19, ['18', '19']],
    [19, 19, ['19']],
    [18, 20, ['18', '19', '20']],
  ])('from day %s to day %s has those days whole, oldest first', async (since, until, days) => {
    const range = { ...(since && { since: noonOf(since) }), ...(until && { until: noonOf(until) }) };
    expect(await costs(range)).toEqual({ days, notes: [] });
  });

  test('of a range that ends before it begins is an error', async () => {
    await expect(costs({ since: noonOf(20), until: noonOf(19) })).rejects.toThrow(UsageError);
  });

  test('that is empty is a note: in this range, or at all', async () => {
    expect(await costs({ since: noonOf(25) })).toEqual({ days: [], notes: [expect.stringContaining('range')] });
    expect(await costs({ until: noonOf(1) })).toEqual({ days: [], notes: [expect.stringContaining('range')] });
    expect(await costs({}, {})).toEqual({ days: [], notes: [expect.not.stringContaining('range')] });
  });
});
