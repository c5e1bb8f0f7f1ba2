import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { Draw } from '../chaos/draw.js';
import { drawnCases } from '../support/extent.ts';
import { gantry, newFolder } from '../support/index.ts';
import { python } from './support/running.ts';
import { VirtualReplicas } from './support/virtual-replicas.ts';

const [second, hour, day] = [1_000, 3_600_000, 86_400_000];
const monday = Date.UTC(2026, 9, 5);

interface Shape {
  name: string;
  days: number;
  /** In the days, from 0. */
  arrivals: (draw: Draw, days: number) => number[];
  runtimeMs: (draw: Draw) => number;
  startMs: (draw: Draw) => number;
  scaling: { min_replicas: number; max_replicas: number; cooldown: number; replica_concurrency: number };
  /** What `tune` is asked, and which of its answers is followed. */
  ask: string[];
  follow: 'cheapest' | 'fastest';
}

const exponential = (draw: Draw, mean: number) => -mean * Math.log(1 - draw.next());
const about = (median: number, sigma: number) => (draw: Draw) => {
  const normal = Math.sqrt(-2 * Math.log(1 - draw.next())) * Math.cos(2 * Math.PI * draw.next());
  return Math.max(1, Math.round(median * Math.exp(sigma * normal)));
};

/** At a rate an hour that depends on the time, by thinning. */
function poisson(draw: Draw, days: number, most: number, rateAt: (at: number) => number = () => most): number[] {
  const times: number[] = [];
  for (let at = exponential(draw, hour / most); at < days * day; at += exponential(draw, hour / most)) {
    if (draw.next() < rateAt(at) / most) times.push(Math.round(at));
  }
  return times;
}

/** Of the day. */
const hourOf = (at: number) => (at % day) / hour;

const shapes: Shape[] = [
  {
    name: 'steady',
    days: 7,
    arrivals: (draw, days) => poisson(draw, days, 6),
    runtimeMs: about(2_000, 0.4),
    startMs: about(12 * second, 0.3),
    scaling: { min_replicas: 0, max_replicas: 2, cooldown: 60, replica_concurrency: 1 },
    ask: ['--slo', 'p90<10s'],
    follow: 'cheapest',
  },
  {
    name: 'bursty',
    days: 7,
    arrivals: (draw, days) =>
      poisson(draw, days, 0.6).flatMap((at) =>
        Array.from({ length: draw.int(4, 20) }, () => at + Math.round(exponential(draw, 40 * second))),
      ),
    runtimeMs: about(2_500, 0.5),
    startMs: about(11 * second, 0.3),
    scaling: { min_replicas: 0, max_replicas: 3, cooldown: 600, replica_concurrency: 1 },
    ask: ['--slo', 'p90<1m'],
    follow: 'cheapest',
  },
  {
    name: 'nightly',
    days: 4,
    arrivals: (draw, days) => poisson(draw, days, 110, (at) => (Math.floor(hourOf(at)) === 2 ? 110 : 0.8)),
    runtimeMs: about(45 * second, 0.6),
    startMs: about(15 * second, 0.25),
    scaling: { min_replicas: 0, max_replicas: 2, cooldown: 120, replica_concurrency: 1 },
    ask: ['--slo', 'p90<2m'],
    follow: 'cheapest',
  },
  {
    name: 'slow start',
    days: 7,
    arrivals: (draw, days) => poisson(draw, days, 8, (at) => (hourOf(at) > 8 && hourOf(at) < 18 ? 8 : 1)),
    runtimeMs: about(6_500, 0.4),
    startMs: about(95 * second, 0.3),
    scaling: { min_replicas: 0, max_replicas: 3, cooldown: 90, replica_concurrency: 1 },
    ask: ['--budget', '70'],
    follow: 'fastest',
  },
  {
    name: 'several at once',
    days: 3,
    arrivals: (draw, days) => poisson(draw, days, 30, (at) => 15 * (1 + Math.sin((2 * Math.PI * at) / (7 * hour)))),
    runtimeMs: about(70 * second, 0.8),
    startMs: about(9 * second, 0.3),
    scaling: { min_replicas: 0, max_replicas: 4, cooldown: 45, replica_concurrency: 3 },
    ask: ['--slo', 'p90<4m'],
    follow: 'cheapest',
  },
];

/** What callers saw, and what 30 days cost. */
interface Measured {
  coldStarts: number;
  p50Ms: number;
  p90Ms: number;
  centsPerMonth: number;
}

interface Option extends Measured {
  option: string;
  argv: string[] | null;
}

/** An app of an emulator, whose replicas take their time by the clock of the test. */
async function appOf({ scaling, startMs, days }: Shape, draw: Draw) {
  const clock = { now: monday };
  const folder = newFolder({ 'main.py': 'def run():\n    pass\n', 'cerebrium.toml': configOf(scaling) });
  const emulator = await startEmulator({ now: () => clock.now });
  onTestFinished(() => emulator.close());
  const replicas = new VirtualReplicas(clock, () => startMs(draw));
  onTestFinished(() => void vi.restoreAllMocks());
  const run = async (...words: string[]) => {
    const env = { GANTRY_CONFIG_DIR: join(folder, '.home'), TZ: 'UTC' };
    const outcome = await gantry(words, { emulator, clock, cwd: folder, env });
    expect([outcome.code, outcome.stderr], words.join(' ')).toEqual([0, expect.anything()]);
    return outcome;
  };
  return {
    clock,
    run,
    /** Plays calls, then reads what the platform has of them. */
    async measure(since: number, calls: readonly { at: number; runtimeMs: number }[]): Promise<Measured> {
      await replicas.play(
        emulator,
        'web',
        calls.map(({ at, runtimeMs }) => ({ at: since + at, runtimeMs })),
      );
      clock.now = since + days * day - 1;
      const first = new Date(since).toISOString();
      const exported = (await run('runs', 'export', 'web', '--since', first)).stdout.trim().split('\n');
      const runs = exported.map((line) => JSON.parse(line));
      const waits = runs.map((each) => each.totalQueueTimeMs + each.runtimeMs).sort((a, b) => a - b);
      const cost = (await run('cost', 'web', '--since', first.slice(0, 10), '--json')).json() as {
        apps: [{ costCents: number }];
      };
      return {
        coldStarts: runs.filter((each) => each.coldstartTimeMs > 0).length,
        p50Ms: waits[Math.ceil(0.5 * waits.length) - 1] ?? 0,
        p90Ms: waits[Math.ceil(0.9 * waits.length) - 1] ?? 0,
        centsPerMonth: (cost.apps[0].costCents * 30) / days,
      };
    },
  };
}

/** Thousands of calls each: those that play fastest, unless `FUZZ_CASES` asks for all (docs/internals/testing.md). */
const quick = ({ name }: Shape) => name === 'nightly' || name === 'slow start';
const followed = shapes.toSorted((one, other) => Number(quick(other)) - Number(quick(one))).slice(0, drawnCases(1, 2));

test.skipIf(!python || followed.length === 0).each(followed)(
  '$name calls: advice that is followed comes true',
  async (shape) => {
    const { name, days, ask, follow } = shape;
    const draw = new Draw(shapes.indexOf(shape) + 1);
    const { clock, run, measure } = await appOf(shape, draw);
    const calls = shape.arrivals(draw, days).map((at) => ({ at, runtimeMs: shape.runtimeMs(draw) }));
    await run('deploy', '--yes');
    await measure(monday, calls);
    const { options } = (await run('apps', 'tune', 'web', ...ask, '--json')).json() as { options: Option[] };
    const said = options.find(({ option }) => option === follow);
    if (!said?.argv) throw new Error('nothing is advised');
    clock.now = monday + 7 * day - 1;
    await run(...said.argv.slice(1));
    const came = await measure(monday + 7 * day, calls);
    process.stderr.write(rowOf(`${name}, ${calls.length} calls`, said, came));
    for (const figure of ['coldStarts', 'p50Ms', 'p90Ms', 'centsPerMonth'] as const) {
      // A few starts more or less are chance.
      const slack = figure === 'coldStarts' ? 3 : 0;
      // The cheapest settings lie where a tenth of the calls wait for a start: one more or less moves p90. It may be shorter.
      const off = figure === 'p90Ms' ? came[figure] - said[figure] : Math.abs(said[figure] - came[figure]);
      expect(off, figure).toBeLessThanOrEqual(0.15 * came[figure] + slack);
    }
  },
  120_000,
);

/** For the whole measurement: what was set, and each figure as it was said and as it came. */
function rowOf(name: string, said: Option, came: Measured): string {
  const figures = (['coldStarts', 'p50Ms', 'p90Ms', 'centsPerMonth'] as const).map(
    (figure) => `${figure} ${Math.round(said[figure])} -> ${Math.round(came[figure])}`,
  );
  return `${[name, said.argv?.slice(4).join(' '), ...figures].join(' | ')}\n`;
}

function configOf(scaling: Shape['scaling']): string {
  const lines = Object.entries(scaling).map(([key, value]) => `${key} = ${value}`);
  return ['[cerebrium.deployment]', 'name = "web"', '[cerebrium.scaling]', ...lines, ''].join('\n');
}
