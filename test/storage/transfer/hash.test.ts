import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { BlockPool } from '../../../src/storage/transfer/block-pool.ts';
import { type Digest, Hasher } from '../../../src/storage/transfer/hash.ts';
import { parseJournal } from '../../../src/storage/transfer/journal.ts';

const bytes = randomBytes(1_000);
const sha256 = (end: number) => createHash('sha256').update(bytes.subarray(0, end)).digest('hex');
let hasher: Hasher;

beforeAll(() => {
  hasher = new Hasher(1);
  return () => hasher.close();
});

async function update(digest: Digest, from: number, to: number): Promise<void> {
  const block = new BlockPool().acquire(2 ** 17);
  bytes.copy(block.bytes, 0, from, to);
  await digest.update(block, to - from);
}

test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 999])(
  'a SHA-256 goes on from the state of another one after %i bytes',
  async (length) => {
    const first = hasher.createDigest({ algorithm: 'sha256' });
    await update(first, 0, Math.min(7, length));
    await update(first, Math.min(7, length), length);
    const state = await first.state();
    expect(await first.end()).toBe(sha256(length));
    const rest = hasher.createDigest({ algorithm: 'sha256', state });
    await update(rest, length, 1_000);
    expect(await rest.end()).toBe(sha256(1_000));
  },
);

test('digests that are computed at the same time do not mix', async () => {
  const digests = Array.from({ length: 5 }, () => hasher.createDigest({ algorithm: 'sha256' }));
  await Promise.all(digests.map((digest, at) => update(digest, 0, 100 + at)));
  await Promise.all(digests.map((digest, at) => update(digest, 100 + at, 500 + at)));
  const ends = await Promise.all(digests.map((digest) => digest.end()));
  expect(ends).toEqual(digests.map((_, at) => sha256(500 + at)));
});

const begun = { is: 'begun', file: 'a', mark: 'm', partBytes: 64, attempt: { id: 'u', urls: ['https://x/1'] } };

/** The part of a journal with this state. */
function restored(sha256State: string | undefined) {
  const part = { is: 'part', file: 'a', part: { number: 1, etag: '"e"', sha256State } };
  return parseJournal([begun, part].map((line) => JSON.stringify(line)).join('\n'))?.get('a')?.parts;
}

test('a state is restored from a journal, unless another version of gantry wrote it', async () => {
  const digest = hasher.createDigest({ algorithm: 'sha256' });
  await update(digest, 0, 64);
  const state = await digest.state();
  expect(restored(state)).toEqual([{ number: 1, etag: '"e"', sha256State: state }]);
  for (const other of ['6a09e667'.repeat(8), `00000000${state?.slice(8)}`, 'x', ''])
    expect(restored(other), other).toEqual([{ number: 1, etag: '"e"' }]);
});
