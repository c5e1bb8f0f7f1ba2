import { expect, test } from 'vitest';
import { kills } from '../chaos/kills.js';
import { bin } from './binary.ts';

test('a deploy that is killed leaves nothing that blocks the next one, which tells the truth', async () => {
  expect(await kills({ count: 2, seed: 25, program: bin })).toEqual([]);
}, 180_000);
