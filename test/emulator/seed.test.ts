import { describe, expect, test, vi } from 'vitest';
import { type RunStatus, runStatuses } from '../../src/platform/contract/runs.ts';
import { type Closing, newFolder, onceForAll, platform } from './support/platform.ts';

const names = ['web', 'transcriber', 'nightly-report'];
const monthAgo = '2026-10-21T09:30:00Z';

async function seeded(seed = 1, closing?: Closing) {
  const speaking = await platform({ seed }, closing);
  const get = async (path: string) => (await speaking.ask('GET', path)).json;
  const runs = (app: string, query = '') => get(`/apps/p-12345678-${app}/runs/charts?${query}`);
  return { ...speaking, get, runs };
}

type Seeded = Awaited<ReturnType<typeof seeded>>;

/** For what only reads. */
const unchanged = onceForAll((closing) => seeded(1, closing));

/** Everything that can be listed, without the emulator's URL. */
async function everything({ emulator, ask }: Seeded): Promise<string> {
  const paths = ['/apps?includeEphemeral=true'];
  for (const app of [...names, 'run-3f2a91'].map((name) => `/apps/p-12345678-${name}`)) {
    paths.push(app, `${app}/builds`, `${app}/containers`, `${app}/runs`, `${app}/metrics/startup-time`);
    paths.push(`${app}/runs/charts`, `${app}/runs/charts?startTime=2026-11-15T00:00:00Z&timezone=Europe/Berlin`);
  }
  const texts = [];
  for (const path of paths) texts.push((await ask('GET', path)).text);
  const { port } = new URL(emulator.url);
  return texts.join('\n').replaceAll(emulator.url, '').replaceAll(`:${port}/`, '/');
}

test('the same seed at the same time creates the same data, another seed creates other data', async () => {
  const [again, other] = await Promise.all([1, 2].map(async (seed) => everything(await seeded(seed))));
  expect(again).toBe(await everything(unchanged()));
  expect(other).not.toBe(again);
});

test('creates three apps with different settings, and the app of a one-off run', async () => {
  const { get } = unchanged();
  const apps = await get('/apps');
  expect(apps.map(({ name, hardware, region }: Record<string, string>) => [name, hardware, region])).toEqual([
    ['web', 'ADA_L4', 'us-east-1'],
    ['transcriber', 'AMPERE_A10', 'eu-north-1'],
    ['nightly-report', 'CPU', 'us-east-1'],
  ]);
  for (const app of apps) {
    expect(app.status).toBe('ready');
    expect(app.request_metrics.total).toBeGreaterThan(100);
    expect(app.cost_metrics.total_cost).toBeGreaterThan(0.1);
    expect(app.cost_metrics.gpu_cost > 0).toBe(app.hardware !== 'CPU');
  }
  expect((await get('/apps/p-12345678-transcriber')).runtime).toBe('custom');
  expect((await get('/apps?includeEphemeral=true'))[3]).toMatchObject({ name: 'run-3f2a91', ephemeral: true });
});

test('creates successful, failed and canceled builds', async () => {
  const { get } = unchanged();
  const builds = (await Promise.all(names.map((name) => get(`/apps/p-12345678-${name}/builds`)))).flat();
  expect(new Set(builds.map((build) => build.status))).toEqual(
    new Set(['success', 'build_failure', 'init_timeout', 'cancelled']),
  );
  const [failed] = (await get('/apps/p-12345678-nightly-report/builds')) as { id: string; initError: string }[];
  expect(failed?.initError).toContain('no matching distribution');
  const path = `/apps/p-12345678-nightly-report/builds/${failed?.id}`;
  expect(JSON.stringify((await get(`${path}/logs`)).logs)).toContain('ERROR: No matching distribution');
  expect((await get(`${path}/zip-contents`)).zipFiles).toMatchObject({ 'main.py': { size: expect.any(Number) } });
});

describe('30 days of runs', () => {
  test('have each status', async () => {
    const { get } = unchanged();
    const found: RunStatus[] = [];
    for (const { status } of (await get('/apps/p-12345678-transcriber/runs')).items) found.push(status);
    expect([...new Set(found)].sort()).toEqual([...runStatuses].sort());
  });

  test('are on each day, with more on working days, some cold starts and some failures', async () => {
    const { runs } = unchanged();
    const { aggregatedData, total } = await runs('web', `startTime=${monthAgo}&groupBy=day`);
    const days = aggregatedData.slice(1, -1);
    expect(aggregatedData).toHaveLength(31);
    expect(total).toBeGreaterThan(10_000);
    for (const day of days) {
      const weekend = [0, 6].includes(new Date(day.startTime).getUTCDay());
      expect(day.totalRequests > 350).toBe(!weekend);
      expect(day.avgColdstartTimeMs).toBeGreaterThan(5_000);
      expect(day.successRate).toBeLessThan(100);
    }
  });

  test('start 30 days ago', async () => {
    const { runs } = unchanged();
    expect((await runs('web', `startTime=2026-01-01T00:00:00Z&endTime=${monthAgo}`)).total).toBe(0);
  });

  test('have several outcomes, functions and kinds of calls', async () => {
    const { get, runs } = unchanged();
    const codes = new Set<number>();
    for (const status of ['failure', 'cancelled']) {
      for (let date = 13; date < 20; date += 1) {
        const query = `status=${status}&startTime=2026-11-${date}T00:00:00Z&endTime=2026-11-${date + 1}T00:00:00Z`;
        for (const { statusCode } of (await runs('web', query)).items) codes.add(statusCode);
      }
    }
    expect([...codes]).toEqual(expect.arrayContaining([-1, 0, 500, 503]));
    const { items } = await get('/apps/p-12345678-transcriber/runs?asyncOnly=true');
    expect(items.every((run: { async: boolean }) => run.async)).toBe(true);
    expect(items.some((run: { webhookEndpoint: string }) => run.webhookEndpoint.startsWith('https://'))).toBe(true);
    expect(new Set(items.map((run: { functionName: string }) => run.functionName))).toContain('transcribe');
  });

  test('have replicas that are listed as containers', async () => {
    const { get } = unchanged();
    const [{ podName }] = (await get('/apps/p-12345678-web/runs')).items;
    const containers = await get('/apps/p-12345678-web/containers');
    expect(containers.map((one: { containerId: string }) => one.containerId)).toContain(podName);
    expect(containers[0].containerState).toBe('RUNNING');
  });

  test('can be listed page by page, and found by id', async () => {
    const { get } = unchanged();
    const ids = new Set<string>();
    const path = '/apps/p-12345678-nightly-report/runs';
    for (let token = ''; ; ) {
      const { items, nextToken } = await get(`${path}${token && `?nextToken=${token}`}`);
      for (const { id } of items) ids.add(id);
      if (!nextToken) break;
      token = nextToken;
    }
    expect(ids.size).toBe((await get(`${path}/charts?startTime=${monthAgo}`)).total);
    const last = [...ids].at(-1);
    expect((await get(`${path}/${last}`)).item.id).toBe(last);
  });

  test('continue with the clock, and stay canceled', async () => {
    const { ask, clock, emulator, runs } = await seeded();
    const underway = async () => (await runs('transcriber', 'status=processing')).items;
    const made = async (): Promise<{ id: string } | undefined> =>
      (await underway()).find((run: { id: string }) => !emulator.store.runs.has(run.id));
    while (!(await made())) clock.now += 60_000;
    const id = (await made())?.id;
    expect((await ask('DELETE', `/apps/p-12345678-transcriber/runs/${id}`)).status).toBe(200);
    const before = (await runs('web')).items[0].id;
    clock.now += 3_600_000;
    expect((await runs('web')).items[0].id).not.toBe(before);
    expect((await underway()).length).toBeLessThan(10);
    const { items } = await runs('transcriber', 'status=cancelled');
    expect(items.map((run: { id: string }) => run.id)).toContain(id);
  });
});

test('a seeded app keeps its runs when it is deployed again, but not when it is deleted', async () => {
  const { ask, deploy, runs } = await seeded();
  const { total } = await runs('web');
  await deploy();
  expect((await runs('web')).total).toBe(total);
  await ask('DELETE', '/apps/p-12345678-web');
  await deploy();
  expect((await runs('web')).total).toBe(0);
});

test('does not seed a folder with existing state again', async () => {
  const [data, used] = [newFolder(), newFolder()];
  const first = await platform({ data, seed: 3 });
  const ids = [...first.emulator.store.builds.keys()];
  await first.ask('DELETE', '/apps/p-12345678-web');
  const { total } = (await first.ask('GET', '/apps/p-12345678-transcriber/runs/charts')).json;
  await first.emulator.close();
  const second = await platform({ data, seed: 3 });
  expect([...second.emulator.store.apps.keys()]).not.toContain('p-12345678-web');
  expect(ids).toEqual(expect.arrayContaining([...second.emulator.store.builds.keys()]));
  expect((await second.ask('GET', '/apps/p-12345678-transcriber/runs/charts')).json.total).toBe(total);

  await (await platform({ data: used })).emulator.close();
  expect((await platform({ data: used, seed: 3 })).emulator.store.apps.size).toBe(0);
});

describe('the log of a seeded app', () => {
  const log = async ({ get }: Seeded, query: Record<string, string> = {}, app = 'web') =>
    (await get(`/apps/p-12345678-${app}/logs?${new URLSearchParams({ direction: 'forward', ...query })}`)) as {
      logs: { logLine: string; timestamp: string; runId: string; containerId: string; stream: string; logId: string }[];
      nextPageToken: string | null;
    };

  test('has lines of each run, with its replica and in order', async () => {
    const seed = unchanged();
    const { items } = await seed.get('/apps/p-12345678-web/runs');
    const ended = items.filter((run: { statusCode?: number }) => run.statusCode === 200)[5];
    const { logs } = await log(seed, { runId: ended.id });
    expect(logs.map(({ containerId, stream }) => [containerId, stream])).toEqual(
      Array.from({ length: 2 }, () => [ended.podName, 'stdout']),
    );
    expect(logs[0]?.logLine).toContain(ended.functionName);
    expect(logs.every(({ timestamp }) => timestamp >= ended.createdAt)).toBe(true);
    const failed = items.find((run: { statusCode?: number }) => run.statusCode === 500);
    const lines = (await log(seed, { runId: failed.id })).logs;
    expect(lines.at(-1)).toMatchObject({ logLine: expect.stringContaining('Error'), stream: 'stderr' });
  });

  test('is the same backward and forward, page by page, with unique times and ids', async () => {
    const seed = unchanged();
    const read = async (direction: string) => {
      const lines = [];
      for (let token = ''; ; ) {
        const query = {
          afterDate: '2026-11-19T22:00:00Z',
          direction,
          pageSize: '70',
          ...(token && { nextToken: token }),
        };
        const { logs, nextPageToken } = await log(seed, query);
        lines.push(...logs);
        if (!nextPageToken) return lines;
        token = nextPageToken;
      }
    };
    const forward = await read('forward');
    expect(forward.length).toBeGreaterThan(200);
    expect(await read('backward')).toEqual(forward.toReversed());
    expect(new Set(forward.map(({ timestamp }) => timestamp)).size).toBe(forward.length);
    expect(new Set(forward.map(({ logId }) => logId)).size).toBe(forward.length);
    expect(forward.map(({ timestamp }) => timestamp)).toEqual(forward.map(({ timestamp }) => timestamp).sort());
  });

  test('goes on with the clock, and mixes with what is printed', async () => {
    const seed = await seeded();
    const newest = async () => (await log(seed, { direction: 'backward', pageSize: '1' })).logs[0];
    const before = await newest();
    seed.clock.now += 600_000;
    expect((await newest())?.timestamp.localeCompare(before?.timestamp ?? '')).toBe(1);
    seed.emulator.logs.add('p-12345678-web', { container: 'web-1', stream: 'stdout', text: 'printed' });
    expect((await newest())?.logLine).toBe('printed');
  });
});

describe('what was billed', () => {
  const costs = async ({ get }: Seeded) =>
    (await get('/apps/p-12345678-web/cost')).costs as Record<string, { total_cost_cents: number }>;

  test.each([
    [{ cooldownPeriodSeconds: 3_600 }],
    [{ cpu: '40', memory: '160' }],
    [{ compute: 'HOPPER_H100', gpuCount: 8 }],
  ])('does not change with %j, which applies from then on', async (changes) => {
    const seed = await seeded();
    const before = await costs(seed);
    await seed.ask('PATCH', '/apps/p-12345678-web', changes);
    seed.clock.now += 8 * 3_600_000;
    const after = await costs(seed);
    for (const date of Object.keys(before).filter((one) => one !== '2026-11-20'))
      expect(after[date]).toEqual(before[date]);
    const other = await seeded();
    other.clock.now += 8 * 3_600_000;
    expect(after['2026-11-20']?.total_cost_cents).toBeGreaterThan(
      (await costs(other))['2026-11-20']?.total_cost_cents ?? 0,
    );
  });

  test('does not change with a deploy or a restart', async () => {
    const data = newFolder();
    const first = await platform({ data, seed: 1 });
    const yesterday = async ({ ask }: typeof first) =>
      (await ask('GET', '/apps/p-12345678-web/cost')).json.costs['2026-11-19'];
    const before = await yesterday(first);
    await first.deploy();
    expect(await yesterday(first)).toEqual(before);
    await first.emulator.close();
    expect(await yesterday(await platform({ data }))).toEqual(before);
  });

  test('is the same by day and in total', async () => {
    const seed = unchanged();
    const days = Object.entries(await costs(seed)).filter(([date]) => date >= '2026-11-01');
    const [web] = await seed.get('/apps');
    const cents = days.reduce((sum, [, { total_cost_cents }]) => sum + total_cost_cents, 0);
    expect(web.cost_metrics.total_cost).toBeCloseTo(cents / 100, 2);
  });
});

test('a list of apps does not generate the runs of the month again', async () => {
  const { get } = unchanged();
  const before = await get('/apps');
  // Every random number is drawn with it.
  const draws = vi.spyOn(Math, 'imul');
  try {
    expect(await get('/apps')).toEqual(before);
    expect(draws.mock.calls.length).toBeLessThan(100);
  } finally {
    draws.mockRestore();
  }
});
