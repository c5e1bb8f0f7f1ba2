import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CostReport, readCost } from '../../../src/insight/cost/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { getApp, listApps } from '../../../src/platform/contract/apps.ts';
import { getAppCost, getProjectCost } from '../../../src/platform/contract/billing.ts';
import { getRunsChart } from '../../../src/platform/contract/runs.ts';
import { Draw } from '../../chaos/draw.js';
import { billedApp } from '../../support/run-platform/billed-apps.js';
import type { AppPlan, BilledApp } from '../../support/run-platform/types.ts';

const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;
const from = Date.UTC(2026, 10, 1);
/** A moment after the last replica has gone. */
const now = from + 3 * day;

const every = (ms: number, start = from) =>
  Array.from({ length: Math.floor((now - 3 * hour - start) / ms) }, (_, index) => start + index * ms);

/** Ten apps of each kind, drawn from a seed. */
function plans(): (AppPlan & { waste: string | null })[] {
  const draw = new Draw(27);
  const base = { from, to: now, coldStartMs: draw.int(2, 12) * second };
  const price = () => draw.int(10, 300) / 1_000;
  const spread = (times: number[], ms: number) => times.map((at) => at + draw.int(0, ms)).sort((a, b) => a - b);
  return Array.from({ length: 10 }, (_, n) => {
    const rate = draw.int(400, 900) * second;
    const short = draw.int(1, 4) * second;
    const minutes = draw.int(15, 30) * 60 * second;
    return [
      {
        name: `unused-${n}`,
        waste: 'unused',
        arrivals: [],
        runtimeOf: () => short,
        centsPerSecond: price(),
        settings: { minReplicas: draw.int(1, 3), maxReplicas: 4, cooldownSeconds: 60 },
      },
      {
        name: `cooldown-${n}`,
        waste: 'cooldown',
        arrivals: spread(every(rate), 60 * second),
        runtimeOf: () => short,
        centsPerSecond: price(),
        settings: { minReplicas: 0, maxReplicas: 3, cooldownSeconds: draw.pick([600, 900, 1_800]) },
      },
      {
        name: `kept-${n}`,
        waste: 'min-replicas',
        arrivals: spread(every(8 * rate), 60 * second),
        runtimeOf: () => short,
        centsPerSecond: price(),
        settings: { minReplicas: draw.int(1, 4), maxReplicas: 6, cooldownSeconds: 60 },
      },
      {
        name: `busy-${n}`,
        waste: null,
        arrivals: spread(every(300 * second), 60 * second),
        runtimeOf: () => draw.int(210, 360) * second,
        centsPerSecond: price(),
        settings: { minReplicas: draw.int(0, 1), maxReplicas: 3, cooldownSeconds: 30 },
      },
      {
        name: `batch-${n}`,
        waste: null,
        arrivals: spread(every(minutes + 15 * 60 * second), 60 * second),
        runtimeOf: () => minutes,
        centsPerSecond: price(),
        settings: { minReplicas: 0, maxReplicas: 2, cooldownSeconds: draw.int(30, 120) },
      },
      {
        name: `steady-${n}`,
        waste: null,
        arrivals: every(120 * second),
        runtimeOf: () => 100 * second,
        centsPerSecond: price(),
        settings: { minReplicas: 1, maxReplicas: 2, cooldownSeconds: draw.pick([10, 60, 1_800]) },
      },
    ].map((plan) => ({ ...base, ...plan }));
  }).flat();
}

interface Telling {
  price?: boolean;
  month?: boolean;
  days?: boolean;
  since?: () => number;
  until?: () => number;
  /** What is sent instead. */
  sent?: { total_cost?: unknown; costPerSecondCents?: unknown; runtimeMs?: unknown };
}

const notes: string[] = [];

/** What gantry says of these apps, if the platform tells all, or only some of it. */
async function costOf(
  apps: BilledApp[],
  { price = true, month = true, days = true, sent = {}, ...period }: Telling = {},
): Promise<CostReport> {
  const answers = new Map<unknown, (app: BilledApp, query: Record<string, string>) => unknown>([
    [getApp, (app) => ({ ...shown(app, price), ...sent })],
    [
      getAppCost,
      ({ cents }) => ({
        costs: days ? Object.fromEntries([...cents].map(([date, each]) => [date, { total_cost_cents: each }])) : {},
      }),
    ],
    [
      getRunsChart,
      ({ runs }, query) => {
        const page = chart(runs, query);
        return { ...page, items: page.items.map((run) => ({ ...run, ...sent })) };
      },
    ],
  ]);
  const list = apps.map((app) => ({
    id: `p-1-${app.name}`,
    name: app.name,
    ...(month && { cost_metrics: { total_cost: app.total / 100, ...sent } }),
  }));
  const api = async (
    endpoint: { reply: v.GenericSchema },
    { app, query = {} }: { app?: string; query?: Record<string, string> },
  ) => {
    if (endpoint === listApps) return v.parse(endpoint.reply, list);
    if (endpoint === getProjectCost) return v.parse(endpoint.reply, { summary: {} });
    const found = apps.find(({ name }) => name === app);
    return v.parse(endpoint.reply, found && answers.get(endpoint)?.(found, query));
  };
  const context = {
    api,
    apiWithSignal: () => api,
    project: 'p-1',
    now: () => now,
    platformNow: () => now,
    signal: new AbortController().signal,
    settings: {
      folders: { cache: '/dev/null', state: '/nowhere' },
      teamState: { value: undefined },
      addresses: { management: { value: 'https://platform.test' } },
    },
    progress: {
      step: () => ({ update: () => {}, clear: () => {} }),
      warn: () => {},
      note: (text: string) => notes.push(text),
    },
  } as unknown as Context;
  return await readCost(context, { app: undefined, since: period.since, until: period.until });
}

function shown({ name, settings, centsPerSecond }: BilledApp, price: boolean) {
  return {
    id: `p-1-${name}`,
    minReplicaCount: String(settings.minReplicas),
    createdAt: new Date(from).toISOString(),
    maxReplicaCount: String(settings.maxReplicas),
    cooldownPeriodSeconds: String(settings.cooldownSeconds),
    ...(price && { costPerSecondCents: String(centsPerSecond) }),
  };
}

function chart(runs: BilledApp['runs'], { startTime = '', endTime = '', limit = '100' }: Record<string, string>) {
  const within = runs.filter(({ createdAt }) => createdAt >= Date.parse(startTime) && createdAt <= Date.parse(endTime));
  const items = within.slice(0, Number(limit)).map(({ id, createdAt, pod, coldStartMs, queueMs, runtimeMs }) => ({
    id,
    createdAt: new Date(createdAt).toISOString(),
    podName: pod,
    coldstartTimeMs: coldStartMs,
    totalQueueTimeMs: queueMs,
    runtimeMs,
    statusCode: 200,
  }));
  return { items, total: within.length, ...(within.length > items.length && { nextToken: String(items.length) }) };
}

describe('of sixty apps, thirty of which waste money', () => {
  const planned = plans();
  let apps: BilledApp[];
  let report: CostReport;

  beforeAll(async () => {
    apps = planned.map(billedApp);
    report = await costOf(apps);
  });

  test('the sum is what the platform charges, to one percent', () => {
    const charged = apps.reduce((sum, { total }) => sum + total, 0);
    expect(Math.abs((report.totalCents ?? 0) / charged - 1)).toBeLessThan(0.01);
  });

  test('each advice is a sentence with its price, and none saves less than a dollar a month', () => {
    for (const { app, waste } of report.apps.filter(({ waste }) => waste)) {
      expect(waste?.advice, app).toMatch(
        /^(\d+[smh] cooldown|min_replicas \d): .*cold starts?( of [\d.]+ \w+)?, -\$[\d,.]+ a month$/,
      );
      expect(waste?.savesCents, app).toBeGreaterThan(10);
    }
  });

  test('each waste is named with its cause, and no busy app is', () => {
    const named = report.apps.map(({ app, waste }) => [app, waste?.kind ?? null]).sort();
    expect(named).toEqual(planned.map(({ name, waste }) => [name, waste]).sort());
  });

  test('the time of replicas follows from their calls, to five percent', async () => {
    const modeled = await costOf(apps, { price: false });
    for (const { name, seconds } of apps) {
      const lived = modeled.apps.find(({ app }) => app === name)?.replicaSeconds ?? 0;
      expect(Math.abs(lived / seconds - 1), `${name}: ${lived} of ${seconds}`).toBeLessThan(0.05);
    }
  });

  test('a change saves what the same calls would have cost less', () => {
    for (const { app, waste } of report.apps.filter(({ waste }) => waste?.kind !== undefined)) {
      const plan = planned.find(({ name }) => name === app);
      const before = apps.find(({ name }) => name === app);
      const [flag = '', value = ''] = waste?.argv.slice(-2) ?? [];
      const changed =
        flag === '--cooldown' ? { cooldownSeconds: Number.parseInt(value, 10) } : { minReplicas: Number(value) };
      if (!plan || !before) continue;
      const after = billedApp({ ...plan, settings: { ...plan.settings, ...changed } });
      const saved = before.total - after.total;
      expect(Math.abs((waste?.savesCents ?? 0) - saved), app).toBeLessThan(0.15 * before.total);
    }
  });
});

describe('what the platform does not tell', () => {
  const [plan] = plans().filter(({ name }) => name === 'cooldown-0');
  const app = plan && billedApp(plan);

  test.each<[string, Telling, object]>([
    ['a price', { price: false }, { costCents: expect.any(Number), centsPerSecond: null, waste: { savesCents: null } }],
    [
      'any cost',
      { month: false, days: false },
      { costCents: null, idleCents: null, centsPerSecond: expect.any(Number) },
    ],
    ['the cost of the month', { month: false }, { costCents: expect.closeTo(app?.total ?? 0, 1) }],
    [
      'the cost of days',
      { days: false },
      { costCents: expect.closeTo(app?.total ?? 0, 1), days: { 0: { costCents: null } } },
    ],
  ])('%s is not known, and never zero', async (_, telling, expected) => {
    const report = await costOf(app ? [app] : [], telling);
    expect(report.apps[0]).toMatchObject(expected);
    const isKnown = report.apps[0]?.costCents !== null;
    expect([report.totalCents !== null, report.unknown.length]).toEqual([isKnown, isKnown ? 0 : 1]);
  });
});

/** An app with one call, and what the platform charges on each day, in seconds of a replica. */
function calledOnce(at: number, runtimeMs: number, paid: Record<string, number>): BilledApp {
  const cents = new Map(Object.entries(paid).map(([date, seconds]) => [date, seconds / 100]));
  const total = [...cents.values()].reduce((sum, each) => sum + each, 0);
  const settings = { minReplicas: 0, maxReplicas: 1, cooldownSeconds: 60 };
  const runs = [{ id: 'r-1', createdAt: at, pod: 'web-1', coldStartMs: 0, queueMs: 0, runtimeMs }];
  return { name: 'web', settings, runs, cents, total, seconds: total / 0.01, centsPerSecond: 0.01 };
}

const noon = (date: number) => () => Date.UTC(2026, 10, date, 12);

test.each<[string, Telling, object]>([
  ['both days', { since: noon(2), until: noon(3) }, { calls: 1, busySeconds: 39_600, idleSeconds: 0 }],
  ['the day on which it began', { since: noon(2), until: noon(2) }, { calls: 1, busySeconds: 3_600, idleSeconds: 0 }],
  ['the day after', { since: noon(3), until: noon(3) }, { calls: 0, busySeconds: 36_000, idleSeconds: 0 }],
])('a call over midnight is busy on both days: %s', async (_, period, expected) => {
  const web = calledOnce(from + 2 * day - hour, 11 * hour, { '2026-11-02': 3_600, '2026-11-03': 36_000 });
  const { apps } = await costOf([web], { month: false, ...period });
  expect(apps[0]).toMatchObject({ ...expected, waste: null });
  const busy = Object.fromEntries(apps[0]?.days.map(({ date, busySeconds }) => [date, busySeconds]) ?? []);
  expect({ '2026-11-02': 3_600, '2026-11-03': 36_000 }).toMatchObject(busy);
});

test.each<[string, Record<string, number>]>([
  ['more than its replicas can have lived', { '2026-11-01': 3_600, '2026-11-02': 30 * 86_400 }],
  ['more than that in the whole period', { '2026-11-01': 86_400, '2026-11-02': 2 * 86_400, '2026-11-03': 3 * 86_400 }],
  ['less than its calls took', { '2026-11-02': 60 }],
])('after a change of the price, what is idle is not known: %s', async (_, paid) => {
  notes.length = 0;
  const { apps } = await costOf([calledOnce(from + day, 11 * hour, paid)]);
  expect(apps[0]).toMatchObject({
    costCents: expect.any(Number),
    centsPerSecond: 0.01,
    busySeconds: 39_600,
    replicaSeconds: null,
    idleSeconds: null,
    idleCents: null,
    waste: null,
  });
  expect(notes.join()).toMatch(
    /^web: what is idle is not known: a cost of \$[\d.,]+ does not fit the price of now, \$0\.36/,
  );
});

const unknownPrice = { centsPerSecond: null, costCents: expect.any(Number) };
const unknownCost = { centsPerSecond: 0.01, costCents: null };
const why = 'it costs something, but had no calls and keeps no replicas';
const unexplained = expect.objectContaining({ kind: 'unexplained', why });
const unknownTime = { replicaSeconds: null, idleCents: null };

test.each<[object, object]>([
  ...['-1', '0x10', 'abc', 'Infinity', true, ''].map(
    (value) => [{ costPerSecondCents: value }, unknownPrice] as [object, object],
  ),
  ...[-3, '-3', true, '0x10', [1]].map((value) => [{ total_cost: value }, unknownCost] as [object, object]),
  [{ total_cost: 1e21 }, unknownTime],
  [{ costPerSecondCents: '1e-30' }, unknownTime],
  [{ runtimeMs: -500 }, { busySeconds: null, idleCents: null, waste: unexplained }],
  [
    { podName: '', runtimeMs: 0, totalQueueTimeMs: 0, coldstartTimeMs: 0 },
    { calls: 1, busySeconds: 0, idleCents: expect.any(Number) },
  ],
  [{ runtimeMs: 1e300 }, { busySeconds: null, idleCents: null, waste: unexplained }],
])('what cannot be is not known: %j', async (sent, expected) => {
  const web = calledOnce(from + day, hour, { '2026-11-02': 3_660 });
  const { apps } = await costOf([web], { days: false, sent });
  expect(apps[0]).toMatchObject(expected);
});
