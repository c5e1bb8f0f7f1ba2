import { expect, test } from 'vitest';
import { killPulls } from '../chaos/weights-kills.js';
import { bin } from './binary.ts';

test('a pull that is killed goes on with the part that it was at, and every byte is right', async () => {
  expect(await killPulls({ count: 2, bytes: 12 * 2 ** 20, seed: 28, program: bin })).toEqual([]);
});
