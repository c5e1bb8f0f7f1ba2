import { expect, test } from 'vitest';
import { buildFact, lateMs, type Past, servedBefore } from '../../src/deploys/serving.ts';
import { drawnCases } from '../support/extent.ts';
import { drawWorld } from './draw-world.ts';

interface World {
  past: Past;
  /** Truly, the latest first, the one of now included. */
  served: string[];
}

/** A minute after all of it, on a machine that has looked at the app now and then. */
function lookBack(seed: number): World {
  const { draw, at: until, lagMs, servingAt, served, listed } = drawWorld(seed);
  const ended = listed.filter(({ phase }) => phase !== 'in progress');
  const [first, last] = [until - 300_000, until];
  const times = Array.from({ length: draw.int(0, 8) }, () => draw.int(first, last + lateMs)).sort((a, b) => a - b);
  const looks: Past['looks'][number][] = [];
  for (const time of times) {
    const build = servingAt(Math.min(until, time - lagMs));
    if (build === null || looks.at(-1)?.build === build) continue;
    looks.push({ build, at: time });
  }
  return { past: { builds: ended, looks }, served };
}

test('which build served before another one is wrong at most once in 5,000, and known as far as it was seen', () => {
  const cases = drawnCases(20_000);
  const counts = { known: 0, listed: 0, wrong: 0 };
  for (let seed = 0; seed < cases; seed += 1) {
    const { past, served } = lookBack(seed);
    const [live, ...truth] = served;
    const said = servedBefore(past, live);
    const seen = said.find(({ isSeen }) => isSeen);
    const unseen = said.slice(0, seen ? said.indexOf(seen) : said.length).map(({ id }) => id);
    const isTrue = said.every(({ id, isSeen }) => !isSeen || truth.includes(id));
    if (!isTrue || (seen?.id !== truth[0] && !unseen.includes(truth[0] ?? ''))) counts.wrong += 1;
    else counts[unseen.length > 0 ? 'listed' : 'known'] += 1;
  }
  expect(counts.wrong).toBeLessThanOrEqual(cases / 5_000);
  expect(counts.known).toBeGreaterThan(cases * 0.3);
});

test('what an app showed is known in the order of the looks', () => {
  const looks = ['b-4', 'b-7', 'b-3', 'b-9'].map((build, at) => ({ build, at: at * 60_000 }));
  const before = (build?: string) => servedBefore({ builds: [], looks }, build).map(({ id }) => id);
  expect(before()).toEqual(['b-9', 'b-3', 'b-7', 'b-4']);
  expect(before('b-9')).toEqual(['b-3', 'b-7', 'b-4']);
  expect(before('b-3')).toEqual(['b-7', 'b-4']);
  expect(before('b-unknown')).toEqual(before());
});

test.each<[string, number, string[]]>([
  ['before the live one may have served', 3_001, ['b-1', 'b-0']],
  ['in the same second as the live one may have served', 4_000, ['b-1', 'b-0']],
  ['after the live one has not served before it', 6_001, ['b-0']],
])('a build that was ready %s', (_, readyMs, expected) => {
  const time = (ms: number) => new Date(Date.UTC(2026, 10, 2, 8) + ms).toISOString();
  const build = (id: string, createdMs: number, endedMs: number) =>
    buildFact({ id, status: 'success', createdAt: time(createdMs), updatedAt: time(endedMs) });
  const builds = [build('b-0', 1, 1_001), build('b-1', 2_001, readyMs), build('b-2', 2_501, 4_501)];
  const said = servedBefore({ builds, looks: [] }, 'b-2');
  expect(said).toEqual(expected.map((id) => ({ id, isSeen: false })));
});
