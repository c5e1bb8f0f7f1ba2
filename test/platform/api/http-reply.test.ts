import { expect, test } from 'vitest';
import { readAtMost } from '../../../src/platform/api/http-reply.ts';

test.each([
  [8, 'onetwo', false],
  [6, 'onetwo', false],
  [5, 'onetw', true],
  [1, 'o', true],
])('of a body, at most %d bytes are kept, and it is read no further', async (maxBytes, kept, isCut) => {
  let reads = 0;
  async function* body() {
    for (const piece of ['one', 'two']) {
      reads++;
      yield Buffer.from(piece);
    }
  }
  const found = await readAtMost(body(), maxBytes);
  expect([String(found.content), found.isCut, reads]).toEqual([kept, isCut, maxBytes < 3 ? 1 : 2]);
});
