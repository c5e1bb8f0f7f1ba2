import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFolderTarget, rememberFolderTarget } from '../../../src/platform/config/folder-target.ts';
import { resolveFolders } from '../../../src/platform/config/folders.ts';
import { newFolder } from '../../support/files.ts';

test.each([{}, { HOME: '' }])('are in the home that the system knows where the environment has none: %j', (env) => {
  expect(resolveFolders(env).config).toBe(join(userInfo().homedir, '.config/gantry'));
});

test('a target is remembered for what is below the folder of an app, and not for other apps there', async () => {
  const [state, app] = [newFolder(), realpathSync(newFolder())];
  const target = {
    app: 'web',
    project: 'p-1',
    platform: 'x',
    address: 'https://x',
    flags: [],
  };
  for (const name of ['src/deep', 'other/src']) mkdirSync(join(app, name), { recursive: true });
  for (const name of ['.', 'other']) writeFileSync(join(app, name, 'cerebrium.toml'), '');
  await rememberFolderTarget({ state }, app, target);
  const found = ['.', 'src/deep', 'other', 'other/src', '..'].map(
    (each) => readFolderTarget({ state }, join(app, each))?.app,
  );
  expect(found).toEqual(['web', 'web', undefined, undefined, undefined]);
});
