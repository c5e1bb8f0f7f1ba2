import { expect, test } from 'vitest';
import { killMaps } from '../chaos/map-kills.js';
import { bin } from './binary.ts';

test('a map that is killed has one line for each input at the end, and says how many calls are made twice', async () => {
  expect(await killMaps({ count: 3, inputs: 400, seed: 28, program: bin })).toEqual([]);
});
