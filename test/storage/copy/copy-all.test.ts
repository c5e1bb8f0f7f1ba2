import { expect, test } from 'vitest';
import { copyAll } from '../../../src/storage/copy/copy-all.ts';
import { CopyProgress } from '../../../src/storage/copy/copy-progress.ts';
import type { CopyContext } from '../../../src/storage/copy/ports.ts';

/** Copies 100 files; the first 50 fail with the given error. */
async function copied(failure: () => Error): Promise<{ files: number; failed: number }> {
  const output = { note: () => {}, warn: () => {}, event: () => {} };
  const progress = new CopyProgress({ progress: output, now: () => 0, elapsed: () => 0 } as never);
  const context = {
    progress,
    resources: { signal: new AbortController().signal },
    options: { concurrency: 1, clobber: true },
  };
  const place = {
    toleranceMs: 0,
    find: async () => undefined,
    async open({ path }: { path: string }) {
      if (Number(path) < 50) throw failure();
      return { bytes: 1, mark: '', close: async () => {} };
    },
    verify: async () => {},
    isThere: async () => false,
    write: async ({ path }: { path: string }) => ({ since: 0, count: () => progress.copied(path, 1) }),
  };
  const files = async function* () {
    for (let file = 0; file < 100; file++) yield { path: String(file), bytes: 1, modified: undefined, from: '' };
  };
  await copyAll(files(), () => place, context as unknown as CopyContext, false).catch(() => {});
  return { files: progress.files, failed: progress.failed.length };
}

test.each(['EACCES', 'EPERM', 'ENOENT'])('copies the other files after failures with %s', async (code) => {
  const failure = () => Object.assign(new Error(code), { code });
  expect(await copied(failure)).toEqual({ files: 50, failed: 50 });
});

test('stops if the disk is full', async () => {
  const failure = () => Object.assign(new Error('full'), { code: 'ENOSPC' });
  expect(await copied(failure)).toEqual({ files: 0, failed: 32 });
});
