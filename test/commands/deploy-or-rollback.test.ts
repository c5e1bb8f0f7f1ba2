import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { altering, emulatorForEach, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

let home: string;
let env: Record<string, string>;
/** The builds, oldest first, and which of them crash. */
let builds: string[];
let crashing: number[];
/** The log of the app comes once this is done. */
let held: Promise<unknown> | undefined;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  home = newFolder();
  builds = [];
  crashing = [];
  held = undefined;
  const front = await altering(emulator, async (method, path, json) => {
    if (path.endsWith('-web/logs')) await held;
    if (method === 'POST' && path.endsWith('/apps')) builds.push((json as { buildId: string }).buildId);
    if (!path.endsWith('/containers')) return undefined;
    const stateOf = (index: number) => (crashing.includes(index) ? 'FAILED' : 'RUNNING');
    const listed = builds.map((buildId, at) => ({ containerId: buildId, buildId, containerState: stateOf(at) }));
    return { body: listed };
  });
  env = { ...front, GANTRY_CONFIG_DIR: home };
});

const watching = ['--watch', '10s', '--or-rollback'];

async function deploy(version: string, flags: string[] = [], more: Setting = {}) {
  const app = newFolder({ ...smallApp(), 'data.txt': version });
  return await gantry(['deploy', '--json', ...flags], { emulator, cwd: app, env, ...more });
}

async function live() {
  const { json } = await gantry(['apps', 'get', 'web', '--json'], { emulator, env });
  return (json() as { latestReadyBuildId: string }).latestReadyBuildId;
}

type Failed = { error: { message: string; details: { build: string; rollback: Record<string, string | null> } } };

test('a first build of the same files, sent without a region, is no other one to return to', async () => {
  await deploy('same');
  await deploy('same');
  crashing = [2];
  const { code, json } = await deploy('same', watching);
  expect(code).toBe(12);
  expect((json() as Failed).error.details.rollback).toMatchObject({ outcome: 'no-earlier-build' });
});

test('returns to the build before if the new one is not healthy, and says what serves', async () => {
  await deploy('good');
  crashing = [1];
  const outcome = await deploy('bad', watching);
  const [good, bad, restored] = builds;
  const said = `is FAILED; rolled back to build ${good?.slice(0, 8)}: build ${restored?.slice(0, 8)} serves`;
  expect(outcome).toExit(12, said);
  const rollback = { outcome: 'rolled-back', restored: good, serves: restored };
  expect((outcome.json() as Failed).error.details).toMatchObject({ build: bad, rollback });
  const asked = emulator.calls.map(({ endpoint }) => endpoint);
  const afterwards = asked.slice(asked.lastIndexOf('listContainers'));
  const beforeUpload = afterwards.slice(0, afterwards.indexOf('upload'));
  expect(beforeUpload.filter((endpoint) => endpoint === 'listBuilds')).toHaveLength(2);
  expect(await live()).toBe(restored);
});

test('is rolled back at once: only the error waits for the end of the log, aloud', async () => {
  await deploy('good');
  crashing = [1];
  let come = () => {};
  held = new Promise<void>((done) => {
    come = done;
  });
  const seen: Setting['seen'] = (_, stderr) => /^web is live[\s\S]*^Reading the log of web$/m.test(stderr) && come();
  expect((await deploy('bad', watching, { seen })).code).toBe(12);
  const asked = emulator.calls.map(({ endpoint }) => endpoint);
  const meanwhile = asked.slice(asked.indexOf('getAppLogs'), asked.lastIndexOf('getAppLogs'));
  expect(meanwhile).toContain('getApp');
});

test('says what serves if it is interrupted while it goes back and reads the log', async () => {
  await deploy('good');
  crashing = [1];
  held = new Promise(() => {});
  const { code, json } = await deploy('bad', watching, { stop: /^rollback of web/m });
  expect([code, (json() as Failed).error.details.rollback]).toEqual([
    130,
    expect.objectContaining({ outcome: 'interrupted', serves: builds[1] }),
  ]);
});

test('passes over a build to which the same was sent as to the sick one, and says so if no other is left', async () => {
  await deploy('good');
  await deploy('bad');
  crashing = [2];
  const { json } = await deploy('bad', watching);
  const [good, , , restored] = builds;
  expect((json() as Failed).error.details.rollback).toMatchObject({ outcome: 'rolled-back', restored: good });
  expect(await live()).toBe(restored);
  expect(await gantry(['rollback', 'web', '--yes'], { emulator, env })).toExit(6, 'is well and has other files');
  expect(builds).toHaveLength(4);
});

test('says if the rollback fails, and that the new build still serves', async () => {
  await deploy('good');
  crashing = [1];
  const seen = { count: 0 };
  const breakNext = (_: string, stderr: string) => {
    if (stderr.includes('Built in') && seen.count++ === 0) emulator.fail('build', 'build_failure');
  };
  const { code, json } = await deploy('bad', watching, { seen: breakNext });
  expect(code).toBe(12);
  const { message, details } = (json() as Failed).error;
  expect(details.rollback).toMatchObject({ outcome: 'failed', serves: builds[1] });
  expect(message).toContain('the rollback failed');
  expect(await live()).toBe(builds[1]);
});

test('returns to the last well build after four sick ones, though the archives are older than the limit', async () => {
  await deploy('good');
  crashing = [1, 2, 3, 4, 5];
  for (const version of ['one', 'two', 'three', 'four']) {
    const monthsAgo = Date.now() / 1000 - 100 * 86_400;
    const records = join(home, 'state/archives/builds');
    for (const name of await readdir(records)) await utimes(join(records, name), monthsAgo, monthsAgo);
    expect((await deploy(version, ['--watch', '10s'])).code).toBe(12);
  }
  const { json } = await deploy('five', watching);
  expect((json() as Failed).error.details.rollback).toMatchObject({ outcome: 'rolled-back', restored: builds[0] });
});
