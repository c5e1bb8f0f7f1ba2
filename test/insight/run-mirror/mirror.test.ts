import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { type RunRange, readRunDays, rowsWithin } from '../../../src/insight/run-mirror/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { getRunsChart } from '../../../src/platform/contract/runs.ts';
import { Draw } from '../../chaos/draw.js';
import { drawnCases } from '../../support/extent.ts';
import { newFolder } from '../../support/files.ts';
import { RunPlatform } from '../../support/run-platform/index.js';
import type { Manners } from '../../support/run-platform/types.ts';

const cases = drawnCases(10, 20);
const first = Number(process.env.FUZZ_SEED ?? 1);

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.UTC(2026, 10, 1);

const plain: Manners = {
  order: 'newest first',
  pageCap: 1_000,
  hasTotal: true,
  hasToken: true,
  repeats: false,
  excludesEnd: false,
  lacks: undefined,
};

interface Reader {
  platform: RunPlatform;
  /** gantry's folder for caches. */
  cache: string;
  clock: { now: number };
  warnings?: string[];
  /** Called before each request; throws to kill the command. */
  before?: () => void;
}

/** The runs that a command sees, by id. */
async function read(reader: Reader, range: Omit<RunRange, 'app'>): Promise<Map<string, string>> {
  const { platform, cache, clock, warnings = [], before = () => {} } = reader;
  const api = async (_: unknown, { query }: { query: object }) => {
    before();
    return v.parse(getRunsChart.reply as v.GenericSchema, platform.chart(query, clock.now));
  };
  const context = {
    api,
    apiWithSignal: () => api,
    project: 'p-1',
    now: () => clock.now,
    platformNow: () => clock.now,
    signal: new AbortController().signal,
    settings: {
      folders: { cache, state: cache },
      addresses: { management: { value: 'https://platform.test' } },
      teamState: {},
    },
    progress: { step: () => ({ update: () => {}, clear: () => {} }), warn: (text: string) => warnings.push(text) },
  } as unknown as Context;
  const found = new Map<string, string>();
  let newest = 0;
  for await (const each of readRunDays(context, { app: 'web', ...range })) {
    for (const row of rowsWithin(each, range)) {
      const run = each.runs.run(row);
      expect([found.has(run.id), (run.createdAt ?? 0) < newest]).toEqual([false, false]);
      newest = run.createdAt ?? 0;
      found.set(run.id, JSON.stringify(run));
    }
  }
  return found;
}

class Killed extends Error {}

/** One life of a mirror: commands that come, are killed and meet each other, while runs come, end and are deleted. */
async function live(seed: number) {
  const folder = newFolder();
  const draw = new Draw(seed);
  const pageCap = draw.pick([1_000, 100, 40, 40]);
  const order = pageCap === 40 ? 'newest first' : draw.pick(['newest first', 'oldest first', 'any'] as const);
  // The total is documented (spec 2.8): without it, nothing tells that pages without an order lack runs.
  const hasTotal = draw.chance(0.7) || order === 'any';
  const manners: Manners = {
    pageCap,
    order,
    hasTotal,
    hasToken: pageCap !== 1_000 || draw.chance(0.7),
    repeats: draw.chance(0.3),
    excludesEnd: draw.chance(0.5),
    lacks: draw.pick([undefined, undefined, 'podName', 'coldstartTimeMs', 'statusCode', 'runtimeMs']),
  };
  const platform = new RunPlatform({
    draw,
    from: start,
    to: start + 3 * day,
    perDay: draw.pick([3, 30, 100, 250]),
    manners,
  });
  const clock = { now: start + draw.int(1, 40) * hour };
  const cache = join(folder, 'kept');
  const mayDelete = draw.chance(0.3) && pageCap !== 40;
  const range = () => ({ since: start, until: clock.now });
  for (let step = draw.int(2, 6); step > 0; step--) {
    const commands = Array.from({ length: draw.chance(0.2) ? 2 : 1 }, () => {
      let left = draw.chance(0.5) ? draw.int(0, 12) : Number.POSITIVE_INFINITY;
      const before = () => {
        if (left-- <= 0) throw new Killed();
        clock.now += draw.int(0, 20_000);
        if (mayDelete && draw.chance(0.1)) platform.forget(clock.now - 2 * day, clock.now);
      };
      return read({ platform, cache, clock, before }, range()).catch((error) => {
        if (!(error instanceof Killed)) throw error;
      });
    });
    await Promise.all(commands);
    clock.now = Math.min(start + 3 * day, clock.now + draw.int(0, 900) * minute);
    if (!mayDelete && draw.chance(0.2)) await damage(join(cache, 'runs'), draw);
  }
  clock.now += 6 * minute;
  const readLast = async (name: string) => {
    const warnings: string[] = [];
    return { runs: await read({ platform, cache: join(folder, name), clock, warnings }, range()), warnings };
  };
  const kept = await readLast('kept');
  const fresh = await readLast('fresh');
  const deleted = platform.runs.filter(({ deletedAt }) => deletedAt <= clock.now).map(({ id }) => id);
  return { kept, fresh, deleted };
}

/** How many runs a mirror says that it lacks: where the pages of a list have another order each time, runs stay out. */
function announced(warnings: readonly string[]): number {
  return warnings.reduce((sum, text) => sum + Number(/^(\d+) runs? (?:is|are) missing: /.exec(text)?.[1] ?? 0), 0);
}

/** What a kill or a lost page of a disk leaves. */
async function damage(root: string, draw: Draw): Promise<void> {
  for (const app of await readdir(root).catch(() => [])) {
    const files = (await readdir(join(root, app))).filter((name) => name.endsWith('.runs'));
    if (files.length > 0) await truncate(join(root, app, draw.pick(files)), draw.int(0, 400));
    await writeFile(join(root, app, '.gantry-0123456789abcdef-0'), 'half of a day');
  }
}

test('the mirror equals a fresh one, whatever happened', async () => {
  for (let seed = first; seed < first + cases; seed++) {
    const { kept, fresh, deleted } = await live(seed);
    const all = new Map([...kept.runs, ...fresh.runs]);
    for (const id of deleted) all.delete(id);
    for (const { runs, warnings } of [kept, fresh]) {
      const found = [...all.keys()].filter((id) => runs.has(id));
      expect(all.size - found.length, `seed ${seed}`).toBeLessThanOrEqual(announced(warnings));
      expect(
        found.map((id) => runs.get(id)),
        `seed ${seed}`,
      ).toEqual(found.map((id) => all.get(id)));
    }
  }
}, 120_000);

describe('of the runs of ten days', () => {
  const now = start + 10 * day;
  const made = async (manners: Partial<Manners> = {}) => {
    const folder = newFolder();
    const options = { draw: new Draw(1), from: start, to: now, perDay: 30, manners: { ...plain, ...manners } };
    const platform = new RunPlatform(options);
    const reader = { platform, cache: folder, clock: { now }, warnings: [] as string[] };
    return { reader, platform, read: (since = start, until = now) => read(reader, { since, until }) };
  };

  test('only those of the last two days are asked for again', async () => {
    const { platform, reader, read } = await made();
    const before = await read();
    platform.requests = 0;
    reader.clock.now += 1_000;
    expect(await read()).toEqual(before);
    expect(platform.requests).toBeLessThan(20);
    platform.requests = 0;
    await read(start, start + 5 * day);
    expect(platform.requests).toBe(0);
  });

  test('those that the platform has deleted stay', async () => {
    const { platform, read } = await made();
    const before = await read();
    platform.forget(now, now);
    expect((await read()).size).toBe(before.size);
  });

  test('those that it counts and does not return are a gap, which is said until it is closed', async () => {
    const { platform, reader, read } = await made();
    const lost = platform.runs.filter((_, index) => index % 100 === 7).map(({ id }) => id);
    platform.manners.loses = (id) => lost.includes(id);
    const all = platform.runs.length;
    expect((await read()).size).toBe(all - lost.length);
    expect(reader.warnings.join()).toMatch(
      /^\d+ runs are missing: the platform announced more than it returned between 2026-/,
    );
    reader.warnings.length = 0;
    await read(start, start + 3 * day);
    expect(reader.warnings).toHaveLength(1);
  });

  test.each([1_000, 40])('a gap is closed when the platform returns all of them, in pages of %i', async (pageCap) => {
    const { platform, reader, read } = await made({ pageCap });
    platform.manners.loses = (id) => Number(id.split('-')[1]) % 3_000 === 0;
    expect((await read()).size).toBeLessThan(platform.runs.length);
    platform.manners.loses = () => false;
    for (const _ of [1, 2]) {
      reader.warnings.length = 0;
      reader.clock.now += 1_000;
      expect([(await read()).size, reader.warnings]).toEqual([platform.runs.length, []]);
    }
    platform.requests = 0;
    await read(start, start + 5 * day);
    expect(platform.requests).toBe(0);
  });

  test('all are read if runs of the same moment change places between pages', async () => {
    const { platform, reader, read } = await made({ order: 'any', pageCap: 100 });
    for (const run of platform.runs) run.createdAt = run.visibleAt = start + day + hour;
    expect([(await read()).size, reader.warnings]).toEqual([platform.runs.length, []]);
    expect(platform.requests).toBeLessThan(100);
  });

  test('are the same if the platform does not keep to the range', async () => {
    const kept = await (await made()).read();
    expect(await (await made({ ignoresRange: true, pageCap: 100 })).read()).toEqual(kept);
  });

  test('a value that is not known stays unknown', async () => {
    const { read } = await made({ lacks: 'runtimeMs' });
    expect([...(await read()).values()].every((run) => JSON.parse(run).runtimeMs === null)).toBe(true);
  });

  test('a folder that cannot be written to costs a warning', async () => {
    const { reader, read } = await made();
    await writeFile(join(reader.cache, 'runs'), 'a file');
    expect((await read()).size).toBeGreaterThan(100);
    expect(reader.warnings).toEqual([expect.stringContaining('cannot keep runs in ')]);
  });
});
