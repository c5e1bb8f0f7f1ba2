import { expect, test } from 'vitest';
import { compareListings } from '../../../src/deploys/builds/compare-listings.ts';

const file = { path: 'main.py', size: 5, crc32: 1 };

test('the same entry twice is one', () => {
  expect(compareListings([file, { ...file }], [file, { ...file }])).toMatchObject({
    unchanged: 1,
    added: [],
    removed: [],
  });
});
