import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { deflateRawSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { DeflatePool } from '../../../src/app/deflate/deflate-pool.ts';
import type { Task } from '../../../src/app/deflate/deflate-worker.mjs';
import { ReusedStream } from '../../../src/app/deflate/reused-stream.mjs';

const tasks = 20;

/** Node aborts the process if a thread is terminated at the wrong moment, which takes hundreds of tries to hit. */
test('lets its threads end by themselves, and fails what they have not begun', async () => {
  const terminate = vi.spyOn(Worker.prototype, 'terminate');
  const pool = new DeflatePool(2);
  const sources = Array.from({ length: 200 }, (_, index) => ({ text: `file ${index} `.repeat(50) }));
  const task = (bytes: number): Task => ({ kind: 'files', sources, store: [], buffer: new ArrayBuffer(bytes) });
  const results = Array.from({ length: tasks }, () => pool.run(task(2 ** 16)));
  const settled = Promise.allSettled(results);
  await Promise.any(results);
  await pool.close(new Error('stopped'));
  const failed = (await settled).filter(({ status }) => status === 'rejected');
  expect(failed.length).toBeGreaterThan(0);
  expect(failed[0]).toMatchObject({ reason: new Error('stopped') });
  expect(terminate).not.toHaveBeenCalled();
  await expect(pool.run(task(0))).rejects.toThrow('stopped');
});

test('a small file is compressed as by a stream of its own, whatever comes before it', async () => {
  const lengths = [20_000, 1, 2048, 0, 100, 40_000, 2047, 32_768, 8192, 32_769, ...Array.from({ length: 100 }, roll)];
  const text = words(60_000);
  const noise = randomBytes(40_000).toString('latin1');
  const contents = [text, noise].flatMap((source) =>
    lengths.map((length, index) => Buffer.from(source.slice(index * 31, index * 31 + length))),
  );
  const buffer = new ArrayBuffer(2 ** 20);
  const sources = contents.map((content) => ({ text: content.toString() }));
  const pool = new DeflatePool(0);
  const result = await pool.run({ kind: 'files', sources, store: [], buffer });
  const different = contents.filter((content, index) => {
    const own = deflateRawSync(content, { level: 6 });
    const expected = own.length < content.length ? own : content;
    const packed = result.files?.[index];
    if (!packed || packed === 'known' || !('at' in packed)) return true;
    return !expected.equals(Buffer.from(result.buffer, packed.at, packed.length));
  });
  expect(different).toEqual([]);
});

test('compresses in any order into the same bytes', () => {
  const stream = new ReusedStream();
  const contents = Array.from({ length: 500 }, () => Buffer.from(words(roll())));
  const different = contents.filter(
    (content) => !deflateRawSync(content, { level: 6 }).equals(stream.deflate(content)),
  );
  expect(different).toEqual([]);
});

/** Short words of few letters, in which nearly every byte may begin a match. */
function words(bytes: number): string {
  let text = '';
  while (text.length < bytes) text += `${(roll() % 200).toString(5)} `;
  return text.slice(0, bytes);
}

let state = 1;

/** Up to 3,000, the same ones in each run. */
function roll(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % 3_000;
}
