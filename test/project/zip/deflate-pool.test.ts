import { Worker } from 'node:worker_threads';
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
