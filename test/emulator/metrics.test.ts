import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/emulator/model/state/records.ts';
import { platform } from './support/platform.ts';

const app = 'p-12345678-web';
const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;

/** A deployed app with runs created this many milliseconds ago, each of one second by default. */
async function called(settings: object, ...runs: (Partial<RunRecord> & { ago: number })[]) {
  const speaking = await platform();
  const { emulator, clock, ask, deploy } = speaking;
  const { id } = await deploy(settings);
  clock.now += 2 * day;
  for (const { ago, ...run } of runs) {
    emulator.store.addRun({ app, createdAt: clock.now - ago, runtimeMs: second, ...run });
  }
  const get = async (path: string, query: Record<string, string> = {}) =>
    ask('GET', `/apps/${app}${path}?${new URLSearchParams(query)}`);
  return { ...speaking, get, build: id };
}

/** A run with a cold start. */
const cold = (seconds: number) => ({ coldstartMs: seconds * second, proxyQueueMs: seconds * second });

describe('startup times', () => {
  test.each([
    [{}, 60],
    [{ resolution: 'medium' }, 120],
    [{ resolution: 'high' }, 240],
  ])('with %j have as many points as %i, from the last 24 hours', async (query, points) => {
    const { get } = await called({}, { ago: hour, ...cold(12) }, { ago: 2 * hour }, { ago: day + second, ...cold(9) });
    const { status, data } = (await get('/metrics/startup-time', query)).json;
    expect(status).toBe('success');
    expect(data).toMatchObject({
      total_runs: 2,
      start_date: '2026-11-21T09:30:00.000Z',
      end_date: '2026-11-22T09:30:00.000Z',
    });
    expect(data.time_series).toHaveLength(points);
    expect(data.time_series[0]).toEqual({ timestamp: Date.UTC(2026, 10, 21, 9, 30) / 1000 });
    expect(data.time_series.filter((point: object) => 'p50' in point)).toEqual([
      { timestamp: Date.UTC(2026, 10, 22, 8, 30) / 1000 - offset(points), p50: 12, p90: 12, p99: 12 },
    ]);
  });

  test('are nearest-rank percentiles in seconds', async () => {
    const runs = Array.from({ length: 10 }, (_, index) => ({ ago: hour, ...cold(index + 1.5) }));
    const { get } = await called({}, ...runs);
    const { data } = (await get('/metrics/startup-time')).json;
    expect(data.time_series).toContainEqual(expect.objectContaining({ p50: 5.5, p90: 9.5, p99: 10.5 }));
  });

  test('can be filtered by container', async () => {
    const { get } = await called(
      {},
      { ago: hour, container: 'a', ...cold(3) },
      { ago: hour, container: 'b', ...cold(7) },
    );
    const { data } = (await get('/metrics/startup-time', { container_id: 'b' })).json;
    expect(data.total_runs).toBe(1);
    expect(data.time_series).toContainEqual(expect.objectContaining({ p50: 7, p99: 7 }));
  });

  test('are of the requested range including its end, however short', async () => {
    const { get } = await called({}, { ago: 0, ...cold(1) }, { ago: hour, ...cold(2) });
    const end = '2026-11-22T08:30:00Z';
    const { data } = (await get('/metrics/startup-time', { start: end, end })).json;
    expect(data.total_runs).toBe(1);
    expect(data.time_series[0].p50).toBe(2);
  });

  test.each([
    [{ start: '2026-11-22T09:00:00Z', end: '2026-11-22T08:00:00Z' }, 'end must not be before start'],
    [{ start: '2026-11-23T09:00:00Z' }, 'end must not be before start'],
    [{ end: 'now' }, 'end must be an RFC 3339 time'],
    [{ resolution: 'low' }, 'resolution: '],
  ])('with %j are refused', async (query, message) => {
    const { get } = await called({});
    await expect(get('/metrics/startup-time', query)).toAnswer(400, message);
  });
});

/** Steps do not start on the hour: the seconds between the start of the 8:30 step and 8:30. */
function offset(points: number): number {
  const step = (24 * 3600) / points;
  return (23 * 3600) % step;
}

describe('containers', () => {
  test('start with a call, end after the cooldown, and are listed for an hour', async () => {
    const { get, clock, build } = await called(
      { cooldownPeriodSeconds: 60 },
      { ago: 5 * second, container: 'pod-1', ...cold(10) },
    );
    const state = async () =>
      (await get('/containers')).json.map((one: { containerState: string }) => one.containerState);
    expect(await state()).toEqual(['PENDING']);
    clock.now += 10 * second;
    const [container] = (await get('/containers')).json;
    expect(container).toMatchObject({
      containerId: 'pod-1',
      containerState: 'RUNNING',
      isTerminating: false,
      appId: app,
      projectId: 'p-12345678',
      buildId: build,
      region: 'us-east-1',
      hardwareProvider: 'aws',
      containerRestartCount: 0,
      containerStartTimestamp: '2026-11-22T09:30:05.000Z',
      containerTerminationTimestamp: null,
      timestamp: '2026-11-22T09:30:10.000Z',
      containerRunningTimeMs: 5 * second,
      containerIp: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/),
    });
    // It has ended a second ago, which the list does not show yet: nothing of it moves any more.
    clock.now += 57 * second;
    const [ended] = (await get('/containers')).json;
    expect(ended).toMatchObject({ containerState: 'RUNNING', containerTerminationTimestamp: null });
    clock.now += second;
    expect((await get('/containers')).json).toEqual([ended]);
    clock.now += 2 * second;
    expect(await state()).toEqual(['SUCCEEDED']);
    expect((await get('/containers')).json[0].containerTerminationTimestamp).toBe('2026-11-22T09:31:06.000Z');
    clock.now += hour;
    expect(await state()).toEqual([]);
  });

  test('are at least min_replicas', async () => {
    const { get } = await called({ minReplicaCount: 2, maxReplicaCount: 3 }, { ago: second, container: 'pod-1' });
    const names = (await get('/containers')).json.map((one: { containerId: string }) => one.containerId);
    expect(names).toHaveLength(2);
    expect(names).toContain('pod-1');
  });
});

test("the month's requests and cost are those of the runs, and of the time their replicas were up", async () => {
  const settings = { compute: ['ADA_L4'], gpuCount: 2, cpu: 4, memory: 10, cooldownPeriodSeconds: 60 };
  const { ask } = await called(
    settings,
    ...[
      { ago: hour, container: 'a', ...cold(30), runtimeMs: 9 * second },
      { ago: hour - 45 * second, container: 'a', runtimeMs: 16 * second, statusCode: 500 },
    ],
    ...[
      { ago: second, container: 'b', runtimeMs: hour },
      { ago: 25 * day, container: 'c' },
    ],
    ...[{ ago: hour, container: 'a', statusCode: 0, runtimeMs: 0 }],
  );
  const [summary] = (await ask('GET', '/apps')).json;
  expect(summary.request_metrics).toEqual({ successful: 1, errored: 1, total: 4 });
  // 30 s of start, 31 s of runs and idle time, 60 s of cooldown, and one second of the other replica.
  const seconds = 121 + 1;
  const cents = { gpu: 2 * 0.0222, cpu: 4 * 0.000655, memory: 10 * 0.000222 };
  expect(summary.cost_metrics.gpu_cost).toBeCloseTo((seconds * cents.gpu) / 100, 4);
  expect(summary.cost_metrics.cpu_cost).toBeCloseTo((seconds * cents.cpu) / 100, 4);
  expect(summary.cost_metrics.memory_cost).toBeCloseTo((seconds * cents.memory) / 100, 4);
  const { json } = await ask('GET', `/apps/${app}`);
  expect(Number(json.costPerSecondCents)).toBeCloseTo(cents.gpu + cents.cpu + cents.memory, 6);
});
