import { describe, expect, test } from 'vitest';
import { sumByGroup } from '../../src/emulator/running/processes/usage.ts';
import { platform } from './support/platform.ts';
import { python, running } from './support/running.ts';

const hour = 3_600_000;

interface Samples {
  timestamps: number[];
  series: { name: string; data: (string | null)[] }[];
}
type Metrics = Record<'cpu' | 'memory' | 'gpu' | 'containers' | 'requests', Samples>;

/** The seeded apps on a Friday noon. */
async function seeded() {
  const speaking = await platform({ seed: 1 });
  speaking.clock.now = Date.UTC(2026, 10, 20, 12, 30);
  const read = async (app: string, query: Record<string, string> = {}) => {
    const { status, json } = await speaking.ask(
      'GET',
      `/apps/p-12345678-${app}/resource-metrics?${new URLSearchParams(query)}`,
    );
    return { status, json: json as Metrics & { message: string } };
  };
  return { ...speaking, read };
}

const values = ({ series }: Samples, name: string) =>
  (series.find((one) => one.name === name)?.data ?? []).filter((value) => value !== null).map(Number);

describe('the resource metrics of a seeded app', () => {
  test('are believable: within its hardware, the median at most the maximum, and as text', async () => {
    const { read } = await seeded();
    const { cpu, memory, gpu, containers } = (await read('web')).json;
    for (const [chart, limit] of [
      [cpu, 4],
      [memory, 24],
      [gpu, 24],
    ] as const) {
      expect(chart.timestamps).toHaveLength(60);
      expect(chart.series.map(({ name }) => name)).toEqual(['P50', 'P90', 'Max']);
      const highest = values(chart, 'Max');
      expect(highest.length).toBeGreaterThan(30);
      for (const value of highest) expect(value).toBeLessThanOrEqual(limit);
      for (const [index, value] of values(chart, 'P50').entries())
        expect(value).toBeLessThanOrEqual(highest[index] ?? 0);
      expect(new Set(highest).size).toBeGreaterThan(20);
    }
    expect(Math.min(...values(memory, 'Max'))).toBeGreaterThan(4);
    expect(Math.max(...values(containers, 'containers'))).toBeGreaterThan(1);
  });

  test('are the same at every request, and empty where nothing ran', async () => {
    const { read } = await seeded();
    expect((await read('web')).json).toEqual((await read('web')).json);
    const { gpu, cpu } = (await read('nightly-report')).json;
    expect(gpu.series.flatMap(({ data }) => data).every((value) => value === null)).toBe(true);
    expect(cpu.series[2]?.data).toContain(null);
  });

  test.each([
    [{ start: '2026-11-22T09:00:00Z', end: '2026-11-22T08:00:00Z' }, 'end must not be before start'],
    [{ resolution: 'low' }, 'resolution: '],
  ])('with %j are refused', async (query, message) => {
    const { read } = await seeded();
    await expect(read('web', query)).toAnswer(400, message);
  });
});

describe.skipIf(!python || process.platform === 'win32')(
  'the resource metrics of an app that runs (needs python3)',
  () => {
    test('are measured: its memory, and the CPU time of a busy function', async () => {
      const { call, ask, path, deploy, emulator } = await running();
      const main =
        'import time\n\ndef burn():\n    end = time.process_time() + 0.4\n    while time.process_time() < end: pass\n';
      await deploy({ name: 'burner' }, { 'main.py': main });
      await fetch(`${emulator.url}/v4/${emulator.project}/burner/burn`, { method: 'POST', body: '{}' });
      await call('run', { name: 'Ada' });
      const start = new Date(Date.now() - hour).toISOString();
      const read = async (app: string) => (await ask('GET', `${app}/resource-metrics?start=${start}`)).json as Metrics;
      const burner = await read(`/apps/${emulator.project}-burner`);
      expect(Math.max(...values(burner.cpu, 'Max'))).toBeGreaterThan(0.01);
      expect(Math.max(...values(burner.memory, 'Max'))).toBeGreaterThan(0.004);
      expect(Math.max(...values(burner.memory, 'Max'))).toBeLessThan(2);
      expect(values(burner.gpu, 'Max')).toEqual([]);
      expect(values(burner.requests, 'requests').reduce((sum, count) => sum + count)).toBe(1);
      expect(path).toContain('functions');
    });
  },
);

test('the output of ps is summed by process group', () => {
  const lines = '  10   0:01.50  1000\n  10  1:00:00   24\n  11 2-00:00:01 1\n  12 0:00.00 5\n';
  expect([...sumByGroup(lines, [10, 11, 13])]).toEqual([
    [10, { cpuMs: 3_601_500, memoryBytes: 1024 * 1024 }],
    [11, { cpuMs: 172_801_000, memoryBytes: 1024 }],
  ]);
});
