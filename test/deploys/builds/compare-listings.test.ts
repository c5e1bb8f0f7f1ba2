import { expect, test } from 'vitest';
import { compareListings } from '../../../src/deploys/builds/compare-listings.ts';
import { UnexpectedReplyError } from '../../../src/kernel/errors.ts';

const file = { path: 'main.py', size: 5, crc32: 1 };

test.each([
  ['before', [{ ...file, size: 6 }, file], [file]],
  ['now', [file], [file, { ...file, crc32: 2 }]],
])('a list that has a path twice proves nothing, %s', (_, before, now) => {
  expect(() => compareListings(before, now)).toThrow(UnexpectedReplyError);
});

test('the same entry twice is one', () => {
  expect(compareListings([file, { ...file }], [file, { ...file }])).toMatchObject({
    unchanged: 1,
    added: [],
    removed: [],
  });
});
