import { expect, test } from 'vitest';
import { isUsable, signedAt, urlExpiry } from '../../../src/storage/transfer/signed-url.ts';

const link = (query: string) => `https://bucket.example/key?${query}`;
const usual = link('X-Amz-Date=20261120T093000Z&X-Amz-Expires=600&X-Amz-Signature=x');

test.each([
  ['has a lifetime', usual, 601_000],
  ['has none', link('token=x'), undefined],
  ['has an invalid one', link('X-Amz-Expires=soon'), undefined],
  ['has no query', 'https://bucket.example/key', undefined],
])('the expiry of a URL that %s', (_, url, end) => {
  expect(urlExpiry(url, 1_000)).toBe(end);
});

test('the signing time is by the clock of the storage', () => {
  expect(signedAt(usual)).toBe(Date.parse('2026-11-20T09:30:00Z'));
  expect(signedAt(link('X-Amz-Date=20261120T09300'))).toBeUndefined();
});

test.each([
  [0, true],
  [569_999, true],
  [570_000, false],
  [700_000, false],
])('of ten minutes, at %i ms: %s', (now, fresh) => {
  expect(isUsable(usual, 600_000, now)).toBe(fresh);
});

test('the margin of a short lifetime is a tenth; a URL without an expiry is always valid', () => {
  const short = link('X-Amz-Expires=10');
  expect([isUsable(short, 10_000, 8_999), isUsable(short, 10_000, 9_000)]).toEqual([true, false]);
  expect(isUsable(link(''), undefined, Number.MAX_SAFE_INTEGER)).toBe(true);
});
