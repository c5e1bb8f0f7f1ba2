import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { claimTarget } from '../../../src/kernel/disk/index.ts';
import { newOwnerName } from '../../../src/kernel/disk/owner.ts';
import { filesIn, newFolder } from '../../support/files.ts';

const state = newFolder();
const ownFile = () => `${newOwnerName()}.json`;

/** Claims, and gives up when it would have to wait. */
function claim(path: string, kind: 'file' | 'folder') {
  const delay = async () => {
    throw new Error('it has to wait');
  };
  return claimTarget(state, { path, kind, delay, onWait: () => {} });
}

test.each([
  ['file', '/x/a', 'file', '/x/b'],
  ['file', '/x/a', 'folder', '/x/a b'],
  ['folder', '/x/a', 'folder', '/x/ab'],
  ['file', '/x', 'file', '/x/a'],
] as const)('a %s %s and a %s %s are independent', async (kind, path, otherKind, otherPath) => {
  const claims = [await claim(path, kind), await claim(otherPath, otherKind)];
  for (const each of claims) each.release();
  expect(filesIn(state)).toEqual([]);
});

test.each([
  ['file', '/x/a', 'file', '/x/a'],
  ['folder', '/x', 'file', '/x/a/b'],
  ['file', '/x/a/b', 'folder', '/x'],
  ['folder', '/', 'folder', '/x'],
  ['folder', '/x', 'folder', '/x'],
] as const)('a claimed %s %s blocks a %s %s', async (kind, path, otherKind, otherPath) => {
  const first = await claim(path, kind);
  await expect(claim(otherPath, otherKind)).rejects.toThrow('it has to wait');
  first.release();
  (await claim(otherPath, otherKind)).release();
});

test('a symbolic link is the same target', async () => {
  const folder = newFolder({ 'real/a': '' });
  symlinkSync('real', join(folder, 'link'));
  const first = await claim(join(folder, 'real', 'new'), 'folder');
  await expect(claim(join(folder, 'link', 'new', 'file'), 'file')).rejects.toThrow('it has to wait');
  first.release();
});

test('a waiting process learns whom it waits for, continues when that one ends, and fails after ten minutes', async () => {
  const first = await claim('/x', 'folder');
  const told: number[] = [];
  let waitedMs = 0;
  const waiting = (until: number) =>
    claimTarget(state, {
      path: '/x/a',
      kind: 'file',
      delay: async (ms) => {
        waitedMs += ms;
        if (waitedMs >= until) first.release();
      },
      onWait: (pid) => told.push(pid),
    });
  await expect(waiting(Number.POSITIVE_INFINITY)).rejects.toThrow(
    `another gantry (process ${process.pid}) is still writing to /x/a`,
  );
  expect(waitedMs).toBeGreaterThanOrEqual(600_000);
  waitedMs = 0;
  (await waiting(5_000)).release();
  expect(told).toEqual([process.pid, process.pid]);
});

test('a claim of another machine counts until it has not been refreshed for a minute', async () => {
  const far = join(state, 'claims', ownFile().replace(/-[0-9a-f]{8}-/, '-00000000-'));
  mkdirSync(dirname(far), { recursive: true });
  writeFileSync(far, JSON.stringify({ path: '/x', kind: 'folder' }));
  await expect(claim('/x/a', 'file')).rejects.toThrow('it has to wait');
  const before = Date.now() / 1000 - 61;
  utimesSync(far, before, before);
  (await claim('/x/a', 'file')).release();
});

test('claims of ended processes and damaged claims do not count', async () => {
  mkdirSync(join(state, 'claims'), { recursive: true });
  const dead = ownFile().replace(/^\d+-\d+/, `${2 ** 22 + 1}-0`);
  writeFileSync(join(state, 'claims', dead), JSON.stringify({ path: '/x', kind: 'folder' }));
  writeFileSync(join(state, 'claims', ownFile()), '{"path":7}');
  writeFileSync(join(state, 'claims', ownFile()), 'not JSON');
  (await claim('/x/a', 'file')).release();
});
