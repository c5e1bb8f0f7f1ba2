import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mib, partAt, planParts } from '../../../src/storage/transfer/parts.ts';

const gib = 1024 * mib;

test.each([
  ['an empty file', 0, undefined, 5, 1],
  ['a byte', 1, undefined, 5, 1],
  ['just one part', 5 * mib, undefined, 5, 1],
  ['a byte more', 5 * mib + 1, undefined, 5, 2],
  ['four parts for each of 32 connections', gib, undefined, 8, 128],
  ['a large file', 100 * gib, undefined, 16, 6_400],
  ['smaller parts', 16 * mib, 5 * mib, 5, 4],
  ['parts smaller than the storage takes', 16 * mib, 1, 5, 4],
  ['parts of no whole MiB', 20 * mib, 5 * mib + 1, 6, 4],
  ['as much as usual parts can hold', 160_000 * mib, undefined, 16, 10_000],
  ['a little more than that', 160_000 * mib + 1, undefined, 17, 9412],
  ['more than 10,000 parts of 5 MiB', 49 * gib, 5 * mib, 6, 8363],
  ['the most there can be', 5 * 1024 * gib, undefined, 525, 9987],
])('%s', (_, bytes, wanted, partMib, count) => {
  expect(planParts(bytes, wanted)).toEqual({ bytes, partBytes: partMib * mib, count });
});

test('larger files are refused', () => {
  expect(() => planParts(5 * 1024 * gib + 1)).toThrow('larger than 5 TiB');
});

test('the parts of any plan are consecutive, within the limit, and cover the file', () => {
  const anything = fc.record({
    bytes: fc.oneof(
      fc.nat(200 * mib),
      fc.maxSafeNat().map((n) => n % (5 * 1024 * gib)),
    ),
    wanted: fc.option(fc.integer({ min: 1, max: 5 * gib }), { nil: undefined }),
  });
  fc.assert(
    fc.property(anything, ({ bytes, wanted }) => {
      const plan = planParts(bytes, wanted);
      expect(plan.count).toBeLessThanOrEqual(10_000);
      expect(plan.partBytes % mib).toBe(0);
      let end = 0;
      for (const number of new Set([1, 2, Math.ceil(plan.count / 2), plan.count - 1, plan.count])) {
        if (number < 1 || number > plan.count) continue;
        const part = partAt(plan, number);
        expect(part.offset).toBe((number - 1) * plan.partBytes);
        expect(part.length).toBe(number < plan.count ? plan.partBytes : bytes - part.offset);
        end = part.offset + part.length;
      }
      expect(end).toBe(bytes);
      if (plan.count > 1) expect(plan.partBytes).toBeGreaterThanOrEqual(5 * mib);
    }),
  );
});
