import { expect, test } from 'vitest';
import command from '../../../src/cli/commands/cost.ts';
import type { AppCostReport } from '../../../src/insight/cost/index.ts';
import { plainPage } from '../../support/page.ts';

const day = { date: '2026-11-20', costCents: 100, calls: 4, coldStarts: 1, busySeconds: 30 };

function shown(more: object, names = ['web']): string {
  const apps = names.map((app) => ({
    app,
    costCents: 100,
    centsPerSecond: 0.01,
    replicaSeconds: 120,
    busySeconds: 30,
    idleSeconds: 90,
    idleCents: 75,
    estimate: null,
    calls: 4,
    coldStarts: 1,
    coldStartMs: 4_000,
    lastCallAt: null,
    days: [day],
    waste: null,
    ...more,
  })) as AppCostReport[];
  const range = { project: 'p-1', since: '2026-11-20', until: '2026-11-20' };
  const report = { ...range, totalCents: 100, unknown: [], apps, summary: null, coupons: null };
  return command.view(report, {})(plainPage());
}

test.each([
  [{}, '30 s, 25.0 %', '25.0 %'],
  // Calls that ran a little longer than what was paid for by now.
  [{ busySeconds: 121 }, '2m 1s, 100.0 %', '100.0 %'],
  [{ busySeconds: 0 }, '0 ms, 0.0 %', '0.0 %'],
  [{ busySeconds: 0, replicaSeconds: 0 }, '0 ms', ''],
  [{ busySeconds: null }, 'not known', ''],
  [{ replicaSeconds: null }, '30 s', 'not known'],
])('the share of the replica time that calls took: %j', (more, ofOne, ofSeveral) => {
  expect(/^busy +(.*?) *$/m.exec(shown(more))?.[1]).toBe(ofOne);
  expect(shown(more, ['a', 'b'])).toMatch(new RegExp(`^a +\\$1\\.00 +4 +${ofSeveral} +\\$0\\.75 +1$`, 'm'));
});

test.each([
  [{}, '1, 25.0 % of the calls, 4.0 s at the median'],
  [{ coldStarts: 0, coldStartMs: null }, '0'],
])('the share of the calls with a cold start: %j', (more, said) => {
  expect(/^calls with a cold start +(.*?) *$/m.exec(shown(more))?.[1]).toBe(said);
});
