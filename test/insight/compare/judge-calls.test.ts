import { describe, expect, test } from 'vitest';
import { compareDurations } from '../../../src/calls/difference.ts';
import { BuildSamples } from '../../../src/insight/compare/build-samples.ts';
import { judgeCalls } from '../../../src/insight/compare/judge-calls.ts';
import { Draw } from '../../chaos/draw.js';
import { isWhole } from '../../support/extent.ts';

/** Which part of a hundred, or of a thousand, is drawn. */
const part = isWhole ? 2 : 10;

/** The numbers of a large measurement. */
const tell = (text: string) => void (isWhole && process.stderr.write(`${text}\n`));

interface World {
  /** Median in ms, sigma, and weight of each function. */
  functions: [median: number, sigma: number, weight: number][];
  failing: number;
  cold: number;
}

const worlds: Record<string, World> = {
  'one function': { functions: [[620, 0.45, 1]], failing: 0.02, cold: 0.05 },
  'three functions': {
    functions: [
      [620, 0.45, 60],
      [3_800, 0.6, 25],
      [95, 0.3, 15],
    ],
    failing: 0.02,
    cold: 0.25,
  },
  'half of the calls fail': { functions: [[200, 0.5, 1]], failing: 0.5, cold: 0.01 },
};

/** How many hours the calls are spread over. */
const spans = [1, 24];

/**
 * The calls of a build. Which functions are called, and in which hours, changes from build to build: that is no difference.
 * Neither are the hours in which everything takes longer.
 */
function callsOf({ functions, failing, cold }: World, { calls, slower, hours }: Calls, draw: Draw): BuildSamples[] {
  const samples = Array.from({ length: hours }, () => new BuildSamples());
  const often = (hours > 1 ? samples : []).map((_, hour) => [0.5 + draw.next(), hour] as const);
  const weights = functions.map(([, , weight], at) => [weight * (0.5 + draw.next()), at] as const);
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw.next())) * Math.cos(2 * Math.PI * draw.next());
  for (let call = 0; call < calls; call++) {
    const at = draw.weighted(weights);
    const [median, sigma] = functions[at] as World['functions'][number];
    const outcome = draw.chance(failing) ? 'failed' : 'succeeded';
    const start = draw.chance(cold) ? 12_000 * Math.exp(0.25 * normal()) : 0;
    const hour = often.length > 0 ? draw.weighted(often) : 0;
    const busy = hour % 24 < 4 ? 1.5 : 1;
    samples[hour]?.add(
      `f${at}`,
      Math.ceil(busy * slower * median * Math.exp(sigma * normal())),
      Math.ceil(start),
      outcome,
    );
  }
  return samples;
}

interface Calls {
  calls: number;
  slower: number;
  hours: number;
}

function verdicts(world: World, calls: Calls, times: number): string[] {
  const draw = new Draw(20_261_123);
  return Array.from({ length: times }, () => {
    const before = callsOf(world, { ...calls, slower: 1 }, draw);
    return judgeCalls({ before, after: callsOf(world, calls, draw) }).verdict;
  });
}

const inSpans = Object.entries(worlds).flatMap(([name, world]) => spans.map((hours) => [name, hours, world] as const));

describe.each(inSpans)('of %s, in %i hours', (name, hours, world) => {
  // Only run times of calls that succeeded are compared: half as many.
  test.skipIf(world.failing === 0.5)('a build that is 20 % slower is found with 500 calls of each in 95 of 100', () => {
    const found = verdicts(world, { calls: 500, slower: 1.2, hours }, 100 / part).filter(
      (verdict) => verdict === 'worse',
    ).length;
    tell(`${name}, 20 % slower: found in ${found} of ${100 / part}`);
    expect(found).toBeGreaterThanOrEqual(Math.floor(95 / part));
  });

  test('the same build is called worse in at most one of 100', () => {
    const alarms = verdicts(world, { calls: 500, slower: 1, hours }, 1_000 / part).filter(
      (verdict) => verdict === 'worse',
    ).length;
    tell(`${name}, the same build: ${alarms} alarms of ${1_000 / part}`);
    expect(alarms).toBeLessThanOrEqual(isWhole ? 5 : 3);
  });

  test('with 15 calls nothing is shown', () => {
    expect(new Set(verdicts(world, { calls: 15, slower: 1, hours }, 20))).toEqual(new Set(['too few calls']));
  });
});

test.each([
  ['no more than before', [100, 4], [100, 4], 'no difference'],
  ['surely more', [200, 2], [200, 14], 'worse'],
  ['surely fewer', [200, 14], [200, 2], 'better'],
  ['more, by so many that chance may be it', [200, 2], [200, 9], 'no difference'],
  ['not even one call', [0, 0], [200, 9], 'too few calls'],
  ['none of eight calls', [8, 0], [200, 9], 'too few calls'],
  ['none of eight calls after', [200, 9], [8, 0], 'too few calls'],
  ['all of eight calls', [200, 2], [8, 8], 'worse'],
  ['half of them, after none of eight calls', [8, 0], [200, 100], 'worse'],
] as [string, Counts, Counts, string][])('errors that are %s', (_, before, after, verdict) => {
  const samples = ([calls, failed]: Counts) => {
    const one = new BuildSamples();
    for (let call = 0; call < calls; call++) one.add('run', 100, 0, call < failed ? 'failed' : 'succeeded');
    return [one];
  };
  expect(judgeCalls({ before: samples(before), after: samples(after) }).errors.verdict).toBe(verdict);
});
type Counts = [calls: number, failed: number];

describe('durations', () => {
  const samples = (...values: number[]) => Float64Array.from(values);
  const many = (from: number) => Float64Array.from({ length: 100 }, (_, at) => from + at);

  test.each([
    [
      'other proportions of two functions',
      [
        [many(100), many(100).slice(90)],
        [many(9_000).slice(90), many(9_000)],
      ],
      'no difference',
    ],
    ['longer ones', [[many(100), many(150)]], 'slower'],
    ['shorter ones', [[many(150), many(100)]], 'faster'],
    [
      'a function that only one build has',
      [
        [many(100), samples()],
        [samples(), many(900)],
      ],
      'too few calls',
    ],
    ['none', [], 'too few calls'],
    ['many equal ones', [[samples(...Array(50).fill(100)), samples(...Array(50).fill(100))]], 'no difference'],
    ['a difference of a hundredth', [[many(10_000), many(10_100)]], 'no difference'],
    ['ten that are twice as long', [[many(100).slice(0, 10), many(200).slice(0, 10)]], 'too few calls'],
  ] as [string, [Float64Array, Float64Array][], string][])('%s', (_, kinds, verdict) => {
    expect(compareDurations(kinds.map(([before, after]) => ({ before, after }))).verdict).toBe(verdict);
  });

  test('the chance of what is equal is 1, and never more', () => {
    expect(compareDurations([{ before: many(300).fill(7), after: many(300).fill(7) }]).chance).toBe(1);
  });

  test('the chance is that of the normal distribution of ranks', () => {
    // 8 values against 8 that are all larger: z = 3.361, p = 0.00078.
    const { chance } = compareDurations([{ before: many(0).slice(0, 8), after: many(50).slice(0, 8) }]);
    expect(chance).toBeCloseTo(0.00078, 5);
  });
});
