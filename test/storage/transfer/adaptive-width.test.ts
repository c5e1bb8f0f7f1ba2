import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AdaptiveWidth } from '../../../src/storage/transfer/adaptive-width.ts';

/** Time of a part of 5 MB with so many in flight, in ms. */
type Line = (width: number) => number;

const each =
  (rate: number): Line =>
  () =>
    5e6 / rate;
const common =
  (rate: number): Line =>
  (width) =>
    (5e6 / rate) * width;

function newWidth(max = 32) {
  const decisions: string[] = [];
  let now = 0;
  const width = new AdaptiveWidth({ max, elapsed: () => now, trace: (decision) => decisions.push(decision) });
  return {
    width,
    decisions,
    /** So many rounds of requests that succeed; returns the width after each. */
    rounds(line: Line, count: number) {
      return Array.from({ length: count }, () => {
        const { round, current } = width;
        const ms = line(current);
        now += ms;
        for (let index = 0; index < current; index++) {
          width.measure({ round, bytes: 5e6, ms });
          width.recover(1);
        }
        return width.current;
      });
    },
    wait(ms: number) {
      now += ms;
    },
  };
}

/** It starts at its maximum; a slow line has brought it down to 8. */
function newNarrowWidth(max?: number) {
  const width = newWidth(max);
  expect(width.rounds(common(1e3), 5).at(-1)).toBe(8);
  width.decisions.length = 0;
  return width;
}

test('doubles once that brings more', () => {
  const { rounds, decisions } = newNarrowWidth();
  expect([...new Set(rounds(each(25e3), 40))]).toEqual([8, 16, 32]);
  expect(decisions[0]).toMatch(/^16 parts at a time instead of 8 \(.*\/s\)$/);
});

test('takes connections back that brought nothing, and tries again much later', () => {
  const { rounds } = newNarrowWidth();
  const widths = rounds(common(125e3), 80);
  expect(new Set(widths)).toEqual(new Set([8, 16]));
  expect(widths.filter((width) => width === 16)).toHaveLength(4);
});

test('finds the width that a line of both limits needs', () => {
  const { rounds } = newNarrowWidth(64);
  const widths = rounds((width) => Math.max(each(25e3)(width), common(200e3)(width)), 60);
  expect(widths.at(-1)).toBe(8);
});

test('takes connections back when requests become slow, unless that costs more', () => {
  const slower = newWidth();
  slower.rounds(common(125e3), 3);
  expect(slower.rounds(common(50e3), 2)).toEqual([24, 24]);
  const fair = newWidth();
  fair.rounds(common(125e3), 3);
  // Others share the line now: each connection gets its part.
  expect(fair.rounds(() => 5e6 / 1e3, 2)).toEqual([24, 32]);
});

test('takes connections back when each part takes long, if fewer are as fast', () => {
  // 1 MB/s: with 32, each part would take 160 s, and an interruption would lose up to 160 MB.
  expect(newWidth().rounds(common(1e3), 20)).toEqual(Array(20).fill(8));
  // Each connection is slow by itself.
  expect(newWidth().rounds(each(0.25e3), 3)).toEqual([16, 32, 32]);
});

test('is halved by an overloaded server, grows back by one a round, and then stays', () => {
  const { width, rounds, wait, decisions } = newWidth();
  wait(5_000);
  width.reduce();
  width.reduce();
  expect(width.current).toBe(16);
  expect(decisions).toEqual(['the server is overloaded: 16 parts at a time']);
  const widths = rounds(each(25e3), 40);
  expect(widths.every((each, index) => each - (widths[index - 1] ?? 16) <= 1)).toBe(true);
  expect(widths.slice(20)).toEqual(Array(20).fill(32));
});

test('requests of an earlier width are not compared', () => {
  const { width, rounds } = newWidth();
  const old = width.round;
  rounds(each(25e3), 1);
  for (let index = 0; index < 100; index++) width.measure({ round: old, bytes: 5e6, ms: 1e6 });
  expect(width.current).toBe(32);
});

test('whatever is measured, it stays between one and the maximum, and the same input gives the same decisions', () => {
  const step = fc.oneof(
    fc.record({ ms: fc.integer({ min: 0, max: 60_000 }), bytes: fc.nat(16e6), count: fc.integer({ min: 1, max: 80 }) }),
    fc.constant('overload' as const),
  );
  const scenario = fc.record({
    max: fc.integer({ min: 1, max: 40 }),
    steps: fc.array(step, { maxLength: 60 }),
  });
  const play = ({ max, steps }: typeof scenario extends fc.Arbitrary<infer T> ? T : never) => {
    const { width, wait } = newWidth(max);
    return steps.map((next) => {
      wait(700);
      if (next === 'overload') width.reduce();
      else {
        for (let index = 0; index < next.count; index++) {
          width.measure({ ...next, round: width.round });
          width.recover(1);
        }
      }
      return width.current;
    });
  };
  const isWithin = fc.property(scenario, (given) => {
    const widths = play(given);
    expect(widths.every((width) => width >= 1 && width <= given.max)).toBe(true);
    expect(play(given)).toEqual(widths);
  });
  fc.assert(isWithin);
});
