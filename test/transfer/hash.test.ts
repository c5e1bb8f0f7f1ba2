import { createHash, randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { BlockPool } from '../../src/transfer/block-pool.ts';
import { Hasher } from '../../src/transfer/hash.ts';

const bytes = randomBytes(1_000);

test('a SHA-256 goes on from the state of another one', async () => {
  const hasher = new Hasher(1);
  onTestFinished(() => hasher.close());
  const block = (from: number, to: number) => {
    const piece = new BlockPool().acquire(2 ** 17);
    bytes.copy(piece.bytes, 0, from, to);
    return [piece, to - from] as const;
  };
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 999]) {
    const whole = hasher.createDigest({ algorithm: 'sha256', bytes: 0 });
    await whole.update(...block(0, Math.min(7, length)));
    await whole.update(...block(Math.min(7, length), length));
    expect(await whole.state()).toEqual(length % 64 === 0 ? expect.stringMatching(/^[0-9a-f]{64}$/) : undefined);
    const state = length % 64 === 0 ? await whole.state() : undefined;
    expect(await whole.end(), String(length)).toBe(
      createHash('sha256').update(bytes.subarray(0, length)).digest('hex'),
    );
    if (state === undefined) continue;
    const rest = hasher.createDigest({ algorithm: 'sha256', state, bytes: length });
    await rest.update(...block(length, 1_000));
    expect(await rest.end(), `from ${length}`).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});
