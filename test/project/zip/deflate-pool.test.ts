import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { deflateRawSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { DeflatePool } from '../../../src/project/deflate/deflate-pool.ts';

const tasks = 20;

/** Node aborts the process if a thread is terminated at the wrong moment, which takes hundreds of tries to hit. */
test('lets its threads end by themselves, and fails what they have not begun', async () => {
  const terminate = vi.spyOn(Worker.prototype, 'terminate');
  const pool = new DeflatePool(2);
  const files = Array.from({ length: 200 }, (_, index) => ({ text: `file ${index} `.repeat(50), store: false }));
  const results = Array.from({ length: tasks }, () =>
    pool.run({ kind: 'files', files, buffer: new ArrayBuffer(2 ** 16) }),
  );
  const settled = Promise.allSettled(results);
  await Promise.any(results);
  await pool.close(new Error('stopped'));
  const failed = (await settled).filter(({ status }) => status === 'rejected');
  expect(failed.length).toBeGreaterThan(0);
  expect(failed[0]).toMatchObject({ reason: new Error('stopped') });
  expect(terminate).not.toHaveBeenCalled();
  await expect(pool.run({ kind: 'files', files, buffer: new ArrayBuffer(0) })).rejects.toThrow('stopped');
});

test('a small file is compressed as by a stream of the usual size, also where the streams change', async () => {
  const lengths = [1, 100, 2047, 2048, 4095, 4096, 8191, 8192, 20_000];
  const source = readFileSync(import.meta.filename)
    .toString('base64')
    .repeat(5);
  const noise = randomBytes(20_000).toString('latin1');
  const contents = [source, noise].flatMap((text) =>
    lengths.map((length) => Buffer.from(text.slice(0, length), 'latin1')),
  );
  const buffer = new ArrayBuffer(contents.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const content of contents) {
    new Uint8Array(buffer).set(content, at);
    at += content.length;
  }
  const pool = new DeflatePool(0);
  const result = await pool.run({ kind: 'contents', lengths: contents.map(({ length }) => length), buffer });
  const expected = contents.map((content) => {
    const usual = deflateRawSync(content, { level: 6 });
    return usual.length < content.length ? usual : content;
  });
  expect(Buffer.from(result.buffer, 0, result.length)).toEqual(Buffer.concat(expected));
});
