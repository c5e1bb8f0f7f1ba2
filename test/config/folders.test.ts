import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder } from '../../src/disk/index.ts';

const place = () => mkdtempSync(join(tmpdir(), 'gantry-test-'));

test('creates private folders, which may already exist', () => {
  const above = place();
  for (const _ of ['first', 'second']) makePrivateFolder(join(above, 'a', 'b', 'c'));
  expect(statSync(join(above, 'a', 'b', 'c')).mode & 0o777).toBe(0o700);
  expect(statSync(join(above, 'a')).mode & 0o777).toBe(0o700);
});

test('fails if a file is in its place', () => {
  const file = join(place(), 'taken');
  writeFileSync(file, '');
  expect(() => makePrivateFolder(file)).toThrow('EEXIST');
  expect(() => makePrivateFolder(join(file, 'below'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')('fails if the folder cannot be created', () => {
  expect(() => makePrivateFolder('/proc/gantry/config')).toThrow('ENOENT');
});
