import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveSettings } from '../../../src/platform/config/settings.ts';
import { storeSettings, updateStoredFile } from '../../../src/platform/config/stored-files.ts';
import { newFolder } from '../../support/files.ts';

const at = (path: string) => resolveSettings({ GANTRY_CONFIG_DIR: path }, {});
const _read = (path: string) => JSON.parse(readFileSync(join(path, 'config.json'), 'utf8'));

test('the file and its folder are private, and no temporary file remains', async () => {
  const path = join(newFolder(), 'gantry');
  await storeSettings(at(path), 'default', { project: 'p-1' });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, 'config.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(path)).toEqual(['config.json']);
});

test('makes a file with wider permissions private', async () => {
  const folder = newFolder({ 'config.json': '{}' });
  chmodSync(join(folder, 'config.json'), 0o644);
  await storeSettings(at(folder), 'default', { project: 'p-1' });
  expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600);
});

test('keeps a file that is a symbolic link', async () => {
  const folder = newFolder({ 'elsewhere.json': '{"kept": true}' });
  const path = join(folder, 'gantry');
  mkdirSync(path);
  symlinkSync(join(folder, 'elsewhere.json'), join(path, 'config.json'));
  await storeSettings(at(path), 'default', { region: 'r' });
  expect(JSON.parse(readFileSync(join(folder, 'elsewhere.json'), 'utf8'))).toMatchObject({ kept: true });
  expect(at(path).region.value).toBe('r');
});

test('the lock of a killed process is taken over', async () => {
  const folder = newFolder({ 'config.json': '{}' });
  const lock = join(folder, 'config.json.lock');
  mkdirSync(lock);
  utimesSync(lock, 1, 1);
  await storeSettings(at(folder), 'default', { project: 'p-1' });
  expect(at(folder).project.value).toBe('p-1');
});

test('an error names a file that cannot be written, and a fix', async () => {
  const folder = newFolder({ gantry: 'a file in the place of the folder' });
  await expect(storeSettings(at(join(folder, 'gantry')), 'default', {})).rejects.toMatchObject({
    exit: 'failed',
    message: expect.stringMatching(/^cannot write \S+gantry\/config\.json: nothing was changed$/),
    facts: { fix: expect.stringMatching(/GANTRY_PROJECT.*GANTRY_CONFIG_DIR/), why: expect.stringMatching(/EEXIST/) },
  });
  await expect(updateStoredFile(join(folder, 'gantry', 'x'), 'credentials', (same) => same)).rejects.toMatchObject({
    facts: { fix: expect.stringContaining('set GANTRY_TOKEN in the environment') },
  });
});

test('does not change a file that is not valid JSON', async () => {
  const folder = newFolder();
  const settings = at(folder);
  writeFileSync(join(folder, 'config.json'), '{ mine');
  await expect(storeSettings(settings, 'default', {})).rejects.toThrow(/config\.json is not valid JSON: nothing was/);
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe('{ mine');
});
