import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/emulator/model/state/records.ts';
import { platform } from './support/platform.ts';

const app = 'p-12345678-web';
const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;

/** An app with runs created this many milliseconds ago, each of 100 ms by default. */
async function called(...runs: (Partial<RunRecord> & { ago: number })[]) {
  const speaking = await platform();
  const { emulator, clock, ask } = speaking;
  await ask('POST', '/apps', { name: 'web' });
  const add = ({ ago, ...run }: (typeof runs)[number]) =>
    emulator.store.addRun({ app, createdAt: clock.now - ago, runtimeMs: 100, ...run });
  const chart = async (query: Record<string, string | number> = {}) =>
    (await ask('GET', `/apps/${app}/runs/charts?${new URLSearchParams(query as never)}`)).json;
  const list = async () => (await ask('GET', `/apps/${app}/runs`)).json.items;
  return { ...speaking, add, runs: runs.map(add), chart, list };
}

/** The time this many milliseconds ago, in RFC 3339. */
const past = (ms: number) => new Date(Date.UTC(2026, 10, 20, 9, 30) - ms).toISOString();

/** A run that has another status each second. */
const underway = {
  ago: 0,
  pendingMs: second,
  proxyQueueMs: 2 * second,
  coldstartMs: 1_500,
  containerQueueMs: second,
  runtimeMs: 3 * second,
};

describe('a run', () => {
  test.each([
    [0, 'pending', {}],
    [2, 'proxyQueued', { totalQueueTimeMs: 2 * second, coldstartTimeMs: 0 }],
    [3, 'containerQueued', { totalQueueTimeMs: 3 * second, coldstartTimeMs: 1_500 }],
    [5, 'processing', { totalQueueTimeMs: 4 * second, coldstartTimeMs: 1_500 }],
    [7, 'success', { statusCode: 200, runtimeMs: 3 * second, totalResponseTimeMs: 7 * second }],
  ])('after %i seconds is %s', async (seconds, status, fields) => {
    const { clock, chart, list } = await called(underway);
    clock.now += seconds * second;
    expect((await chart()).items).toEqual([expect.objectContaining(fields)]);
    expect(await list()).toEqual([expect.objectContaining({ status })]);
  });

  test('has the fields of the specification and no others', async () => {
    const { chart, runs } = await called({ ago: hour, statusCode: 503, container: 'pod-1' });
    expect((await chart()).items[0]).toEqual({
      id: runs[0]?.id,
      projectId: 'p-12345678',
      modelId: app,
      podName: 'pod-1',
      coldstartTimeMs: 0,
      totalQueueTimeMs: 0,
      runtimeMs: 100,
      totalResponseTimeMs: 100,
      statusCode: 503,
      createdAt: '2026-11-20T08:30:00.000Z',
      updatedAt: '2026-11-20T08:30:00.100Z',
    });
  });

  test.each([
    [200, 'success'],
    [204, 'success'],
    [302, 'success'],
    [404, 'failure'],
    [500, 'failure'],
    [-1, 'cancelled'],
    [0, 'cancelled'],
  ])('that ends with %i is a %s', async (statusCode, status) => {
    const { list } = await called({ ago: hour, statusCode });
    expect((await list())[0]).toMatchObject({ statusCode, status });
  });
});

describe('the chart, one by one', () => {
  test('lists 100 runs, newest first, and the token of the next page', async () => {
    const { chart, add } = await called();
    for (let number = 1; number <= 250; number += 1)
      add({ ago: number * second, functionName: `f${number}`, id: `r-${number}` });
    const pages = [await chart(), await chart({ offset: 100 }), await chart({ offset: 200 })];
    expect(pages.map(({ items }) => items.length)).toEqual([100, 100, 50]);
    expect(pages.flatMap(({ items }) => items.map((run: RunRecord) => run.id))).toEqual(
      Array.from({ length: 250 }, (_, index) => `r-${index + 1}`),
    );
    expect(pages.map(({ nextToken, total }) => [nextToken, total])).toEqual([
      ['100', 250],
      ['200', 250],
      [undefined, 250],
    ]);
    expect(await chart({ nextToken: pages[0]?.nextToken })).toEqual(pages[1]);
    const few = await chart({ limit: 2, offset: 3 });
    expect(few.items.map((run: RunRecord) => run.id)).toEqual(['r-4', 'r-5']);
    expect(await chart({ offset: 250 })).toEqual({ items: [], total: 250 });
  });

  test('covers the last 24 hours or the requested range, both ends included', async () => {
    const ages = [0, hour, day, day + 1, 2 * day];
    const { chart } = await called(...ages.map((ago) => ({ ago, id: `r-${ago}` })));
    const found = async (query: Record<string, string>) =>
      (await chart(query)).items.map(({ id }: RunRecord) => Number(id.slice(2)));
    expect(await found({})).toEqual([0, hour, day]);
    expect(await found({ startTime: past(hour) })).toEqual([0, hour]);
    expect(await found({ endTime: past(day + 1) })).toEqual([day + 1, 2 * day]);
    expect(await found({ startTime: past(day), endTime: past(hour) })).toEqual([hour, day]);
    expect(await found({ startTime: past(hour), endTime: '2026-11-21T07:00:00+02:00' })).toEqual([0, hour]);
  });

  test('has runs of this app only, and no future ones', async () => {
    const { chart } = await called({ ago: hour, app: 'p-12345678-other' }, { ago: -hour });
    expect(await chart({ endTime: past(-2 * hour) })).toMatchObject({ total: 0 });
  });

  test.each([
    [{ status: 'success' }, ['quick', 'slow']],
    [{ status: 'failure' }, ['broken']],
    [{ status: 'cancelled' }, ['stopped']],
    [{ status: 'processing' }, ['busy']],
    [{ statusCode: 200 }, ['quick', 'slow']],
    [{ statusCode: 500 }, ['broken']],
    [{ statusCode: 0 }, ['stopped']],
    [{ minStartupTime: 1 }, ['slow']],
    [{ minStartupTime: 2_000, maxStartupTime: 2_000 }, ['slow']],
    [{ minStartupTime: 2_001 }, []],
    [{ maxStartupTime: 0 }, ['quick', 'broken', 'stopped', 'busy']],
    [{ minResponseTime: 5_000 }, ['slow']],
    [{ maxResponseTime: 100 }, ['quick', 'broken', 'stopped']],
    [{ minResponseTime: 101, maxResponseTime: 4_999 }, []],
    [{ status: 'success', maxStartupTime: 0 }, ['quick']],
  ])('filtered by %j', async (query, expected) => {
    const { chart } = await called(
      { ago: hour, id: 'quick' },
      { ago: 2 * hour, id: 'slow', proxyQueueMs: 2_000, coldstartMs: 2_000, runtimeMs: 3_000 },
      { ago: 3 * hour, id: 'broken', statusCode: 500 },
      { ago: 4 * hour, id: 'stopped', statusCode: 0 },
      { ago: 5 * hour, id: 'busy', runtimeMs: 6 * hour },
    );
    const { items, total } = await chart(query);
    expect(items.map(({ id }: RunRecord) => id)).toEqual(expected);
    expect(total).toBe(expected.length);
    const { aggregatedData, total: counted } = await chart({ ...query, aggregate: 'true' });
    expect(sum(aggregatedData, 'totalRequests')).toBe(expected.length);
    expect(counted).toBe(expected.length);
  });
});

describe('the chart, in buckets', () => {
  test.each<[string, Record<string, string>, string | undefined, number | undefined]>([
    ['exactly 24 hours', { startTime: past(day) }, undefined, undefined],
    ['exactly 24 hours, whatever groupBy says', { startTime: past(day), groupBy: 'hour' }, undefined, undefined],
    ['not to aggregate', { startTime: past(hour), aggregate: 'false' }, undefined, undefined],
    ['to aggregate', { startTime: past(hour), aggregate: 'true' }, 'hour', 2],
    ['a millisecond more than 24 hours', { startTime: past(day + 1) }, 'hour', 25],
    ['more than 24 hours, but not to aggregate', { startTime: past(2 * day), aggregate: 'false' }, 'hour', 49],
    ['a week', { startTime: past(7 * day) }, 'hour', 169],
    ['more than a week', { startTime: past(7 * day + 1) }, 'day', 8],
    ['a week by day', { startTime: past(7 * day), groupBy: 'day' }, 'day', 8],
    ['an hour by minute', { startTime: past(hour), groupBy: 'minute', aggregate: 'true' }, 'minute', 60],
  ])('requested with %s', async (_, query, groupBy, buckets) => {
    const { chart } = await called({ ago: hour / 2 });
    const answer = await chart(query);
    expect(answer.groupBy).toBe(groupBy);
    expect(answer.aggregatedData?.length).toBe(buckets);
    expect('items' in answer).toBe(buckets === undefined);
    expect(answer.total).toBe(1);
  });

  test('counts each status, and includes empty buckets', async () => {
    const { chart } = await called(
      ...[
        { ago: hour, id: 'a' },
        { ago: hour, id: 'b' },
        { ago: hour, id: 'c' },
      ],
      ...[
        { ago: hour, statusCode: 500 },
        { ago: hour, statusCode: 0 },
        { ago: hour, runtimeMs: day },
        { ago: hour, containerQueueMs: day },
        { ago: hour, proxyQueueMs: day },
        { ago: hour, pendingMs: day },
      ],
    );
    const { aggregatedData, timeRange, nextToken } = await chart({ startTime: past(2 * hour), aggregate: 'true' });
    expect(timeRange).toBe('2026-11-20T07:30:00.000Z/2026-11-20T09:30:00.000Z');
    expect(nextToken).toBeUndefined();
    expect(aggregatedData.map((bucket: Bucket) => [bucket.startTime, bucket.endTime, bucket.totalRequests])).toEqual([
      ['2026-11-20T07:30:00.000Z', '2026-11-20T08:00:00.000Z', 0],
      ['2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z', 9],
      ['2026-11-20T09:00:00.000Z', '2026-11-20T09:30:00.000Z', 0],
    ]);
    expect(aggregatedData[1]).toMatchObject({
      timeGroup: '2026-11-20T08:00Z',
      successfulRequests: 3,
      failedRequests: 1,
      cancelledRequests: 1,
      processing: 1,
      containerQueued: 1,
      proxyQueued: 1,
      successRate: 60,
    });
    const ofRuns = Object.keys(aggregatedData[0]).filter((name) => /Ms$|Rate$/.test(name));
    expect([aggregatedData[0].totalRequests, ofRuns]).toEqual([0, []]);
  });

  test('has nearest-rank percentiles of ended runs, and averages of cold starts', async () => {
    const { chart, add } = await called(
      { ago: hour, statusCode: 0, runtimeMs: 999_999 },
      { ago: hour, runtimeMs: day },
    );
    for (let number = 1; number <= 10; number += 1) {
      const cold = number > 8 ? 1_000 * number : 0;
      add({
        ago: hour,
        runtimeMs: 10 * number,
        proxyQueueMs: cold,
        coldstartMs: cold,
        statusCode: number > 5 ? 500 : 200,
      });
    }
    const { aggregatedData } = await chart({ startTime: past(hour), aggregate: 'true' });
    expect(aggregatedData[0]).toMatchObject({
      minRuntimeMs: 10,
      p50RuntimeMs: 50,
      p90RuntimeMs: 90,
      p99RuntimeMs: 100,
      maxRuntimeMs: 100,
      avgRuntimeMs: 55,
      minResponseTimeMs: 10,
      p50ResponseTimeMs: 50,
      p90ResponseTimeMs: 9_090,
      maxResponseTimeMs: 10_100,
      avgColdstartTimeMs: 9_500,
      avgQueueTimeMs: 1_583.33,
      successRate: 45.45,
    });
  });

  test('uses local time: a day with a clock change has 25 hours', async () => {
    const { chart, clock } = await called();
    clock.now = Date.parse('2026-10-27T12:00:00Z');
    const query = { startTime: '2026-10-24T22:00:00Z', endTime: '2026-10-26T22:59:59Z', groupBy: 'day' };
    const starts = async (timezone: string) =>
      (await chart({ ...query, timezone })).aggregatedData.map((bucket: Bucket) => bucket.startTime);
    expect(await starts('Europe/Berlin')).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']);
    expect(await starts('UTC')).toHaveLength(3);
    expect((await chart(query)).aggregatedData).toHaveLength(3);
  });
});

test.each([
  [{ startTime: 'yesterday' }, 'startTime must be an RFC 3339 time: yesterday'],
  [{ startTime: '2026-11-20' }, 'startTime must be'],
  [{ startTime: '2026-11-20 09:00:00Z' }, 'startTime must be'],
  [{ startTime: '2026-11-20T09:00:00' }, 'startTime must be'],
  [{ endTime: '2026-02-30T09:00:00Z' }, 'endTime must be'],
  [{ endTime: '2026-11-20T25:00:00Z' }, 'endTime must be'],
  [{ startTime: past(1), endTime: past(2) }, 'endTime must not be before startTime'],
  [{ startTime: past(-hour) }, 'endTime must not be before startTime'],
  [{ limit: 0 }, 'limit: must be 1 or more'],
  [{ limit: 'all' }, 'limit: '],
  [{ offset: -1 }, 'offset: must be 0 or more'],
  [{ status: 'done' }, 'status: '],
  [{ statusCode: 'ok' }, 'statusCode: '],
  [{ groupBy: 'week' }, 'groupBy: '],
  [{ minStartupTime: 'soon' }, 'minStartupTime: '],
  [{ timezone: 'Mars/Olympus' }, 'timezone must be an IANA time zone: Mars/Olympus'],
  [{ startTime: '1970-01-01T00:00:00Z', groupBy: 'minute' }, 'too many minute buckets'],
])('the chart refuses %j', async (query, message) => {
  const { ask } = await called();
  await expect(ask('GET', `/apps/${app}/runs/charts?${new URLSearchParams(query as never)}`)).toAnswer(400, message);
});

describe('the list', () => {
  test('has more fields of a run than the chart', async () => {
    const { ask, runs } = await called({
      ago: hour,
      functionName: 'predict',
      async: true,
      webhookEndpoint: 'https://hooks.example.com/x',
      container: 'pod-1',
      proxyQueueMs: 400,
      runtimeMs: 600,
    });
    const { json } = await ask('GET', `/apps/${app}/runs`);
    expect(json.nextToken).toBe('');
    expect(json.items[0]).toMatchObject({
      id: runs[0]?.id,
      status: 'success',
      statusCode: 200,
      functionName: 'predict',
      method: 'POST',
      async: true,
      webhookEndpoint: 'https://hooks.example.com/x',
      region: 'us-east-1',
      containerId: 'pod-1',
      websocket: false,
      containerStartedAt: '2026-11-20T08:30:00.400Z',
      completedAt: '2026-11-20T08:30:01.000Z',
      executionTimeMs: 600,
      queueTimeMs: 400,
      responseTimeMs: 1_000,
    });
    expect((await ask('GET', `/apps/${app}/runs/${runs[0]?.id}`)).json).toEqual({ item: json.items[0] });
  });

  test('has stable pages, and can be limited to asynchronous runs', async () => {
    const { ask, add } = await called();
    // Some at the same time, some long ago.
    for (let number = 0; number < 230; number += 1)
      add({ ago: Math.floor(number / 3) ** 3 * second, async: number % 2 === 1 });
    const ids: string[] = [];
    for (let token: string | undefined; token !== ''; ) {
      const { json } = await ask('GET', `/apps/${app}/runs${token ? `?nextToken=${token}` : ''}`);
      ids.push(...json.items.map((run: RunRecord) => run.id));
      token = json.nextToken;
      add({ ago: 0, id: `late-${ids.length}` });
    }
    expect(new Set(ids).size).toBe(230);
    expect(ids).toHaveLength(230);
    expect((await ask('GET', `/apps/${app}/runs?asyncOnly=true`)).json.items).toHaveLength(100);
    expect((await ask('GET', `/apps/${app}/runs?nextToken=later`)).status).toBe(400);
  });
});

describe('a run can be canceled', () => {
  test.each([0, 2, 3, 5])('%i seconds after its creation', async (seconds) => {
    const { ask, clock, runs, chart } = await called(underway);
    clock.now += seconds * second;
    expect((await ask('DELETE', `/apps/${app}/runs/${runs[0]?.id}`)).status).toBe(200);
    clock.now += hour;
    expect((await chart()).items[0]).toMatchObject({ statusCode: 0 });
    const { json } = await ask('DELETE', `/apps/${app}/runs/${runs[0]?.id}`);
    expect(json.message).toBe(`run ${runs[0]?.id} cannot be canceled: it is cancelled`);
  });

  test.each([200, 500, 0, -1])('but not when it ended with %i', async (statusCode) => {
    const { ask, runs } = await called({ ago: hour, statusCode });
    await expect(ask('DELETE', `/apps/${app}/runs/${runs[0]?.id}`)).toAnswer(409, 'cannot be canceled');
  });
});

test.each([
  ['GET', `/apps/${app}/runs/nonsense`],
  ['DELETE', `/apps/${app}/runs/nonsense`],
  ['GET', `/apps/${app}/runs/00000000-0000-7000-8000-000000000000`],
  ['GET', '/apps/p-12345678-other/runs'],
  ['GET', '/apps/p-12345678-other/runs/charts'],
  ['GET', '/apps/p-12345678-other/containers'],
  ['GET', '/apps/p-12345678-other/metrics/startup-time'],
])('%s %s is not found', async (method, path) => {
  const { ask } = await called();
  expect((await ask(method, path)).status).toBe(404);
});

test("does not find a run of another app, and deletes an app's runs with it", async () => {
  const { ask, emulator, runs } = await called({ ago: hour });
  await ask('POST', '/apps', { name: 'other' });
  expect((await ask('GET', `/apps/p-12345678-other/runs/${runs[0]?.id}`)).status).toBe(404);
  await ask('DELETE', `/apps/${app}`);
  expect(emulator.store.runs.size).toBe(0);
});

interface Bucket {
  startTime: string;
  endTime: string;
  totalRequests: number;
}

function sum(buckets: Record<string, number>[], name: string): number {
  return buckets.reduce((total, bucket) => total + (bucket[name] ?? 0), 0);
}
