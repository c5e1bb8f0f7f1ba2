import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { lockHolder, removeDeadLocks, takeLock, waitForLock } from '../../../src/kernel/disk/index.ts';
import { newOwnerName } from '../../../src/kernel/disk/owner.ts';
import { newFolder } from '../../support/files.ts';

/** Above the largest process id of any system. */
const dead = newOwnerName().replace(/^\d+-\d+/, `${2 ** 22 + 1}-0`);

function heldBy(owner: string): string {
  const path = join(newFolder(), 'a.lock');
  mkdirSync(path);
  writeFileSync(join(path, owner), '');
  return path;
}

test('a lock is held by one process, then by the next, and leaves no file', () => {
  const path = join(newFolder(), 'a.lock');
  const first = takeLock(path);
  expect(lockHolder(path)?.pid).toBe(process.pid);
  expect(takeLock(path)).toBeUndefined();
  first?.release();
  const second = takeLock(path);
  expect(second).toBeDefined();
  second?.release();
  expect(lockHolder(path)).toBeUndefined();
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test('replaces an ended owner at once, also if its process id was reused', () => {
  expect(takeLock(heldBy(dead))).toBeDefined();
  const [, , host, random] = newOwnerName().split('-');
  expect(takeLock(heldBy(`${process.pid}-1-${host}-${random}`))).toBeDefined();
});

test('replaces an owner on another machine that has not refreshed its file for a minute', () => {
  const path = heldBy(newOwnerName().replace(/-[0-9a-f]{8}-/, '-00000000-'));
  expect(takeLock(path)).toBeUndefined();
  const [file = ''] = readdirSync(path);
  const before = Date.now() / 1000 - 61;
  utimesSync(join(path, file), before, before);
  expect(takeLock(path)).toBeDefined();
});

test('exactly one of many processes replaces an ended owner', async () => {
  const module = join(newFolder(), 'disk.mjs');
  const bundle = await rolldown({ input: 'src/kernel/disk/lock.ts', platform: 'node' });
  await bundle.write({ file: module });
  const racer = `
    import { createInterface } from 'node:readline';
    import { takeLock } from ${JSON.stringify(module)};
    const locks = [];
    console.log('ready');
    for await (const path of createInterface({ input: process.stdin })) {
      locks.push(takeLock(path));
      console.log(locks.at(-1) ? 'held' : 'refused');
    }`;
  const children = Array.from({ length: 6 }, () => execa(process.execPath, ['--input-type=module', '--eval', racer]));
  const answers = children.map((child) => child[Symbol.asyncIterator]());
  const next = async () => (await Promise.all(answers.map((answer) => answer.next()))).map(({ value }) => value);
  expect(await next()).toEqual(children.map(() => 'ready'));
  for (let round = 0; round < 50; round++) {
    const path = heldBy(dead);
    for (const child of children) child.stdin.write(`${path}\n`);
    expect((await next()).filter((answer) => answer === 'held')).toHaveLength(1);
  }
  for (const child of children) child.stdin.end();
  await Promise.all(children);
});

test('ignores an empty folder, and one of an ended process', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'a.lock'));
  mkdirSync(join(folder, `b.lock.${dead}`));
  removeDeadLocks(folder);
  expect(readdirSync(folder)).toEqual(['a.lock']);
  expect(await waitForLock(join(folder, 'a.lock'), 0)).toBeDefined();
});

test('a wait ends with the release or the time limit', async () => {
  const path = join(newFolder(), 'a.lock');
  const first = takeLock(path);
  expect(await waitForLock(path, 20)).toBeUndefined();
  const waiting = waitForLock(path, 60_000);
  first?.release();
  expect(await waiting).toBeDefined();
});
