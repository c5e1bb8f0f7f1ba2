import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkWritableByUserOnly, findWritableByOthers } from '../../../src/kernel/disk/index.ts';
import { newFolder } from '../../support/files.ts';

const isRoot = process.getuid?.() === 0;

test.skipIf(process.platform === 'win32')('finds the first path that other users can write', () => {
  const folder = newFolder({});
  const [own, group, all] = ['own', 'group', 'all'].map((name) => join(folder, name)) as [string, string, string];
  for (const [path, mode] of [
    [own, 0o755],
    [group, 0o770],
    [all, 0o777],
  ] as const) {
    mkdirSync(path);
    chmodSync(path, mode);
  }
  expect(findWritableByOthers(own, join(folder, 'missing'))).toBeUndefined();
  expect(findWritableByOthers(own, group, all)).toBe(group);
  expect(findWritableByOthers(all)).toBe(all);
  expect(() => checkWritableByUserOnly(own)).not.toThrow();
  expect(() => checkWritableByUserOnly(own, all)).toThrow(`other users can write ${all}`);
});

test.runIf(isRoot)('finds a path of another user, whatever its mode (needs root)', () => {
  const path = newFolder({});
  chmodSync(path, 0o700);
  chownSync(path, 65_534, 65_534);
  expect(findWritableByOthers(path)).toBe(path);
});
