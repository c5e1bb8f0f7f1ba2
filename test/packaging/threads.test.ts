import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const threads = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.mjs'));

test.each(threads)('%s starts from a data: URL, as in an executable', async (file) => {
  const source = encodeURIComponent(readFileSync(`dist/${file}`, 'utf8'));
  const worker = new Worker(new URL(`data:text/javascript,${source}`), { workerData: { name: 'nobody' } });
  // The stack would be the whole source.
  const ended = once(worker, 'exit').catch((error: Error) => error.message);
  expect(await ended).toEqual([0]);
});

test('there are threads', () => {
  expect(threads).toContain('kernel/output/jq-worker.mjs');
});
