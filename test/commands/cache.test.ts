import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gantry, newFolder, smallApp } from '../support/index.ts';

test('package keeps what it compressed, until it is told not to or the cache is cleared', async () => {
  const app = newFolder({ ...smallApp(), 'large.txt': 'all work and no play '.repeat(60_000) });
  const home = newFolder();
  const run = (words: string[], env = {}) => gantry(words, { cwd: app, env: { GANTRY_CONFIG_DIR: home, ...env } });
  const pack = (...flags: string[]) => run(['deploy', '--dry-run', '-o', join(home, 'app.zip'), ...flags]);
  const bytes = async () =>
    ((await run(['doctor', '--cache', '--json'])).json() as { bytes: number }[]).reduce(
      (sum, each) => sum + each.bytes,
      0,
    );

  await pack('--repack');
  await run(['deploy', '--dry-run', '-o', join(home, 'app.zip')], { GANTRY_PACKING_CACHE: 'off' });
  expect(await bytes()).toBe(0);
  expect((await run(['doctor', '--cache'])).stderr).toContain('nothing is kept');
  await run(['config', 'set', 'packing-cache', 'off']);
  await pack();
  expect(await bytes()).toBe(0);

  await run(['config', 'unset', 'packing-cache']);
  expect((await pack()).code).toBe(0);
  expect(await bytes()).toBeGreaterThan(0);
  await writeFile(join(app, 'more.txt'), 'more');
  expect((await pack()).code).toBe(0);
  expect((await run(['doctor', '--cache', '--clear', '--dry-run'])).stdout).toMatch(/^would remove /);
  expect((await run(['doctor', '--cache', '--clear', '--json'])).json()).toMatchObject([
    { kind: 'packing', removed: true },
  ]);
  expect((await run(['doctor', '--cache', '--clear'])).stderr).toContain('nothing to remove');
});

test('the cache is on or off', async () => {
  const { code, stderr } = await gantry(['config', 'set', 'packing-cache', 'no'], {
    env: { GANTRY_CONFIG_DIR: newFolder() },
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('expected on or off')]);
});

test('environments of the emulator are listed with their size, and removed by age', async () => {
  const days = (count: number) => new Date(Date.now() - count * 86_400_000);
  const home = newFolder({
    'cache/python/0123456789abcdef/complete': '',
    'cache/python/0123456789abcdef/lib/module.py': 'x = 1',
    'cache/python/fedcba9876543210/complete': '',
  });
  const folder = join(home, 'cache', 'python');
  await utimes(join(folder, '0123456789abcdef', 'complete'), days(40), days(40));
  const run = (...words: string[]) => gantry(['doctor', '--cache', ...words], { env: { GANTRY_CONFIG_DIR: home } });
  const old = { kind: 'python', files: 2, bytes: 5, path: join(folder, '0123456789abcdef'), app: null };
  expect((await run('--json')).json()).toMatchObject([{ bytes: 0 }, { ...old, removed: false }]);
  const removed = await run('python', '--clear', '--older-than', '30d', '--json');
  expect(removed.json()).toMatchObject([{ ...old, removed: true }]);
  expect(await readdir(folder)).toEqual(['fedcba9876543210']);
});
