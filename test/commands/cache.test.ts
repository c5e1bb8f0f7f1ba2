import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, smallApp } from '../support/app.ts';
import { gantry } from '../support/gantry.ts';

test('package keeps what it compressed, until it is told not to or the cache is cleared', async () => {
  await using app = await folderOf({ ...smallApp(), 'large.txt': 'all work and no play '.repeat(60_000) });
  await using home = await folderOf({});
  const run = (words: string[], env = {}) =>
    gantry(words, { cwd: app.path, env: { GANTRY_CONFIG_DIR: home.path, ...env } });
  const pack = (...flags: string[]) => run(['package', '-o', join(home.path, 'app.zip'), ...flags]);
  const bytes = async () => ((await run(['cache', 'info', '--json'])).json() as { bytes: number }).bytes;

  await pack('--no-cache');
  await run(['package', '-o', join(home.path, 'app.zip')], { GANTRY_PACKING_CACHE: 'off' });
  expect(await bytes()).toBe(0);
  expect((await run(['cache', 'info'])).stdout).toContain('is empty');
  await run(['config', 'set', 'packing-cache', 'off']);
  await pack();
  expect(await bytes()).toBe(0);

  await run(['config', 'unset', 'packing-cache']);
  expect((await pack()).code).toBe(0);
  expect(await bytes()).toBeGreaterThan(0);
  await writeFile(join(app.path, 'more.txt'), 'more');
  expect((await pack()).code).toBe(0);
  expect((await run(['cache', 'clear', '--json'])).json()).toMatchObject({ changed: true });
  expect((await run(['cache', 'clear'])).stdout).toContain('was empty');
});

test('the cache is on or off', async () => {
  await using home = await folderOf({});
  const { code, stderr } = await gantry(['config', 'set', 'packing-cache', 'no'], {
    env: { GANTRY_CONFIG_DIR: home.path },
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('it is on or off')]);
});
