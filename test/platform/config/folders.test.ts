import { mkdirSync, mkdtempSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder } from '../../../src/kernel/disk/index.ts';
import { readFolderTarget, rememberFolderTarget } from '../../../src/platform/config/folder-target.ts';
import { resolveFolders } from '../../../src/platform/config/folders.ts';

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

test.each([{}, { HOME: '' }])('are in the home that the system knows where the environment has none: %j', (env) => {
  expect(resolveFolders(env).config).toBe(join(userInfo().homedir, '.config/gantry'));
});

test('a target is remembered for what is below the folder of an app, and not for other apps there', async () => {
  const [state, app] = [place(), realpathSync(place())];
  const target = {
    app: 'web',
    project: 'p-1',
    platform: 'x',
    address: 'https://x',
    flags: [],
    deployedAt: '2026-01-01',
  };
  for (const name of ['src/deep', 'other/src']) mkdirSync(join(app, name), { recursive: true });
  for (const name of ['.', 'other']) writeFileSync(join(app, name, 'cerebrium.toml'), '');
  await rememberFolderTarget({ state }, app, target);
  const found = ['.', 'src/deep', 'other', 'other/src', '..'].map(
    (each) => readFolderTarget({ state }, join(app, each))?.app,
  );
  expect(found).toEqual(['web', 'web', undefined, undefined, undefined]);
});
