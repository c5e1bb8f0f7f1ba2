import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newOwnerName, removeOrphanedFiles, TemporaryFolder } from '../../../src/kernel/disk/index.ts';
import { newFolder } from '../../support/files.ts';

const deadPid = spawnSync(process.execPath, ['-e', '']).pid;
const ofDeadProcess = (purpose = 'archive') =>
  join(tmpdir(), `gantry-${purpose}-${newOwnerName().replace(/^\d+/, String(deadPid))}`);

test('a temporary folder is private, and named after its process', async () => {
  const folder = await TemporaryFolder.create('archive');
  expect(basename(folder.path)).toMatch(new RegExp(`^gantry-archive-${process.pid}-`));
  if (process.platform !== 'win32') expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

test.each([
  ['the next temporary folder', async () => (await TemporaryFolder.create('stdin')).remove()],
  ['the next copy or package', async () => removeOrphanedFiles(newFolder({}))],
])('folders of a killed process are removed with %s, and nothing else is', async (_, next) => {
  const dead = ofDeadProcess();
  const outside = newFolder({ kept: 'x' });
  mkdirSync(join(dead, 'inside'), { recursive: true });
  writeFileSync(join(dead, 'app.zip'), 'packed');
  symlinkSync(outside, join(dead, 'link'));
  const link = ofDeadProcess('link');
  symlinkSync(outside, link);
  const alive = await TemporaryFolder.create('archive');
  const others = [join(tmpdir(), 'gantry-notes'), join(tmpdir(), 'gantry-archive-mine')];
  for (const path of others) mkdirSync(path, { recursive: true });
  await next();
  expect(existsSync(dead)).toBe(false);
  for (const path of [alive.path, ...others, link, join(outside, 'kept')]) expect(existsSync(path)).toBe(true);
  await alive.remove();
});

test('a folder of another machine or container is kept until it has not been touched for a day', async () => {
  const far = ofDeadProcess().replace(/-[0-9a-f]{8}-/, '-00000000-');
  mkdirSync(far);
  const next = async (hours: number) => {
    const then = Date.now() / 1000 - hours * 3600;
    utimesSync(far, then, then);
    await (await TemporaryFolder.create('stdin')).remove();
    return existsSync(far);
  };
  expect([await next(23), await next(25)]).toEqual([true, false]);
});

test('a folder in use is touched regularly', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = await TemporaryFolder.create('archive');
  utimesSync(folder.path, 0, 0);
  vi.advanceTimersByTime(10_000);
  expect(statSync(folder.path).mtimeMs).toBeGreaterThan(0);
  await folder.remove();
});
