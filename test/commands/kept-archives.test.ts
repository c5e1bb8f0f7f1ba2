import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { emulatorForEach, gantry, newFolder, smallApp } from '../support/index.ts';

let home: string;

const emulator = emulatorForEach({ real: false });

beforeEach(() => {
  home = newFolder();
});

const files = () => join(home, 'state', 'archives', 'files');
const records = () => join(home, 'state', 'archives', 'builds');
const namesIn = (folder: string) => readdir(folder).catch((): string[] => []);

async function run(words: string[], { env = {}, cwd = process.cwd() } = {}) {
  return gantry(words, { emulator, cwd, env: { GANTRY_CONFIG_DIR: home, ...env } });
}

/** Deploys an app with this in a file. */
async function deployed(content: string, more: { env?: Record<string, string>; flags?: string[] } = {}) {
  const app = newFolder({ ...smallApp(), 'data.txt': content });
  const { code, json } = await run(['deploy', '--json', ...(more.flags ?? [])], { ...more, cwd: app });
  return { code, build: (json() as { build?: string }).build ?? '' };
}

type Entry = { build: string; bytes: number; removed: boolean };
const listed = async (...flags: string[]) =>
  (await run(['doctor', '--cache', 'archives', '--json', ...flags])).json() as Entry[];
const cleared = (...flags: string[]) => listed('--clear', ...flags);

test('the archive of a deploy is kept under its content, for its owner only', async () => {
  const { build } = await deployed('one');
  const [name = '', ...others] = await namesIn(files());
  expect(others).toEqual([]);
  const content = await readFile(join(files(), name));
  expect(name).toBe(`${createHash('sha256').update(content).digest('hex')}.zip`);
  expect(await listed()).toMatchObject([{ build, bytes: content.length, files: 3, app: 'web', removed: false }]);
  const modes = [home, files(), records(), join(files(), name), join(records(), (await namesIn(records()))[0] ?? '')];
  const found = await Promise.all(modes.map(async (path) => (await stat(path)).mode & 0o777));
  expect(found.map((mode) => mode & 0o077)).toEqual([0, 0, 0, 0, 0]);
});

test('equal archives share a file, and a failed build keeps none', async () => {
  await deployed('one');
  await deployed('one');
  emulator.fail('build', 'build_failure', 'init_failure');
  expect((await deployed('two')).code).toBe(11);
  expect((await deployed('three')).code).toBe(12);
  expect(await listed()).toHaveLength(2);
  await deployed('four');
  expect(await namesIn(files())).toHaveLength(2);
});

test('deploys at the same time keep all of their archives', async () => {
  const all = await Promise.all(['a', 'b', 'c', 'd', 'a', 'b'].map((content) => deployed(content)));
  expect((await listed()).map(({ build }) => build).sort()).toEqual(all.map(({ build }) => build).sort());
  expect(await namesIn(files())).toHaveLength(4);
});

test.each([
  ['in the environment', { GANTRY_KEEP_ARCHIVES: 'off' }, []],
  ['in the profile', {}, ['config', 'set', 'keep-archives', 'off']],
])('nothing is kept if that is turned off %s', async (_, env, before) => {
  if (before.length > 0) expect((await run(before)).code).toBe(0);
  expect((await deployed('one', { env })).code).toBe(0);
  expect([await namesIn(files()), await namesIn(records())]).toEqual([[], []]);
});

test('a setting that is not on or off is refused', async () => {
  expect(await run(['config', 'set', 'keep-archives', 'sometimes'])).toExit(2, 'on or off');
});

test('a deploy succeeds where nothing can be kept', async () => {
  await run(['config', 'set', 'region', 'us-east-1']);
  await rm(join(home, 'state'), { recursive: true, force: true });
  await writeFile(join(home, 'state'), 'a file in the way');
  expect((await deployed('one')).code).toBe(0);
});

test('a deploy removes archives that are too old, but not the newest three of an app, and what killed processes left behind', async () => {
  await deployed('old');
  const [old = ''] = await namesIn(files());
  const kept = [await deployed('before'), await deployed('live')];
  const monthsAgo = Date.now() / 1000 - 100 * 86_400;
  for (const name of await namesIn(records())) await utimes(join(records(), name), monthsAgo, monthsAgo);
  await writeFile(join(files(), `${'0'.repeat(64)}.zip`), 'linked, and killed before anything else');
  await writeFile(join(files(), '.gantry-half'), 'a copy that ended in the middle');
  await utimes(join(files(), '.gantry-half'), monthsAgo, monthsAgo);
  await writeFile(join(files(), '.gantry-now'), 'a copy in progress');
  kept.push(await deployed('new'));
  const left = await namesIn(files());
  expect(left).toHaveLength(4);
  expect(left).toContain('.gantry-now');
  expect(left).not.toContain(old);
  expect((await listed()).map(({ build }) => build).sort()).toEqual(kept.map(({ build }) => build).sort());
});

test('doctor --cache --clear removes them after a yes, those of one app or older ones', async () => {
  const { build } = await deployed('one');
  await deployed('two', { flags: ['--name', 'other'] });
  expect((await run(['doctor', '--cache', 'archives', '--clear'])).code).toBe(9);
  expect(await cleared('--older-than', '1d', '--yes')).toEqual([]);
  expect(await cleared('--app', 'web', '--dry-run')).toMatchObject([{ build, dryRun: true }]);
  expect(await listed()).toHaveLength(2);
  expect(await cleared('--app', 'web', '--yes')).toMatchObject([{ build, removed: true }]);
  expect(await listed()).toMatchObject([{ app: 'other' }]);
  expect(await namesIn(files())).toHaveLength(1);
});

test.skipIf(process.platform === 'win32')(
  'archives that other users could have changed are neither used nor added to',
  async () => {
    const { build } = await deployed('one');
    await deployed('two');
    await chmod(files(), 0o777);
    const outcome = await run(['rollback', 'web', build, '--yes']);
    expect(outcome).toExit(6, `why other users can write ${files()}, so its archives`);
    const before = await namesIn(files());
    expect((await deployed('three')).code).toBe(0);
    expect(await namesIn(files())).toEqual(before);
    expect((await run(['doctor', '--json'])).stdout).toContain(`other users can write ${files()}`);
  },
);

test.each<[string, Record<string, string>, RegExp]>([
  ['are kept elsewhere', {}, /^without team-state, gantry has the archives of deploys from this machine only/],
  ['are not kept', { GANTRY_KEEP_ARCHIVES: 'off' }, /^keep-archives is off \(environment \(GANTRY_KEEP_ARCHIVES\)\)$/],
])('a rollback says why it has no archive, where archives %s', async (_, env, why) => {
  const { build } = await deployed('one');
  await deployed('two');
  for (const name of await namesIn(files())) await rm(join(files(), name));
  const { code, stderr } = await run(['rollback', 'web', build, '--yes'], { env });
  expect([code, /^ {2}why (.*)$/m.exec(stderr)?.[1]]).toEqual([6, expect.stringMatching(why)]);
});
