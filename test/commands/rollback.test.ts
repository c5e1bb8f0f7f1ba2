import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { altering, emulatorForEach, gantry, type Line, newFolder, smallApp } from '../support/index.ts';

let home: string;
/** Of a platform in front of the emulator. */
let front: Record<string, string>;

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  front = {};
  home = newFolder();
});

async function run(line: Line, { env = {}, cwd = tmpdir() }: { env?: Record<string, string>; cwd?: string } = {}) {
  return gantry(line, { emulator, cwd, env: { GANTRY_CONFIG_DIR: home, ...front, ...env } });
}

/** Deploys a version of the app and returns its build. */
async function deployed(version: string, more = '') {
  const app = newFolder({ ...smallApp(more), 'data.txt': version });
  const { code, json } = await run('deploy --json', { cwd: app });
  expect(code).toBe(0);
  return (json() as { build: string }).build;
}

const back = (...words: string[]) => run(['rollback', 'web', '--yes', '--json', ...words]);
const live = async () =>
  (await run('apps get web --json')).json() as { latestReadyBuildId: string; maxReplicaCount: number };
const filesOf = async (build: string) =>
  ((await run(['builds', 'files', 'web', build, '--json'])).json() as { zipFiles: object }).zipFiles;
/** What was sent is not known any more: the platform's list has to prove it. */
const forgetRecord = () => rm(join(home, 'state', 'history'), { recursive: true });
const creations = () => emulator.calls.filter(({ endpoint }) => endpoint === 'createApp').length;

test('deploys the build that served before again, with its files and settings', async () => {
  const first = await deployed('one', '[cerebrium.scaling]\nmax_replicas = 3\n');
  const second = await deployed('two, longer');
  const { code, json } = await back('--restore-scaling');
  expect(code).toBe(0);
  const result = json() as { build: string };
  expect(result).toMatchObject({
    app: 'web',
    replaced: second,
    restored: first,
    source: 'archive',
    proof: 'record',
    changed: true,
    settings: [{ setting: 'max_replicas', from: 1, to: 3 }],
  });
  expect(await live()).toMatchObject({ latestReadyBuildId: result.build, maxReplicaCount: 3 });
  expect(await filesOf(result.build)).toEqual(await filesOf(first));
});

test('says once what serves until then, if it is done', async () => {
  await deployed('one');
  const second = (await deployed('two')).slice(0, 8);
  expect((await back('--dry-run')).stderr).not.toContain('stays on');
  const { stderr } = await back();
  const said = `^web stays on ${second} until the new build is ready$`;
  expect(stderr.match(new RegExp(said, 'gm'))).toHaveLength(1);
});

test('returns to a named build, and does nothing if it serves', async () => {
  const first = await deployed('one');
  await deployed('two');
  const third = await deployed('three');
  expect((await back(third)).json()).toMatchObject({ changed: false, restored: third, build: null });
  expect((await back(first)).json()).toMatchObject({ restored: first, replaced: third });
});

describe('what is resolved anew', () => {
  const versions = [
    ...['[cerebrium.dependencies.pip]', 'numpy = "latest"', 'torch = ">=2"', 'flask = "3.0.0"', 'rich = "*"'],
    ...['[cerebrium.dependencies.apt]', 'ffmpeg = ""', ''],
  ].join('\n');

  test('is named in the plan and in the JSON', async () => {
    await deployed('one', `docker_base_image_url = "python:3.12-slim"\n${versions}`);
    await deployed('two');
    const { json, stderr } = await back('--dry-run');
    expect(json()).toMatchObject({
      status: null,
      resolvedAnew: [
        ...['numpy', 'rich', 'torch>=2'].map((name) => ({ kind: 'pip', requirement: expect.stringMatching(name) })),
        { kind: 'apt', requirement: 'ffmpeg' },
        { kind: 'image', requirement: 'python:3.12-slim' },
      ],
    });
    expect(stderr).toMatch(
      /installed again, perhaps in other versions: numpy.*, ffmpeg \(apt\), python:3.12-slim \(image\)/,
    );
    expect((json() as { resolvedAnew: object[] }).resolvedAnew).toHaveLength(5);
  });

  test('is nothing if everything is pinned', async () => {
    const image = `python@sha256:${'0'.repeat(64)}`;
    await deployed('one', `docker_base_image_url = "${image}"\n[cerebrium.dependencies.pip]\nflask = "3.0.0"\n`);
    await deployed('two');
    const { json, stderr } = await back();
    expect(json()).toMatchObject({ resolvedAnew: [] });
    expect(stderr).not.toContain('installed again');
  });
});

test('never returns to what was rolled back, unless it is named', async () => {
  const zero = await deployed('zero');
  const first = await deployed('one');
  const second = await deployed('two');
  await back();
  const again = await back();
  expect(again.json()).toMatchObject({ restored: zero });
  expect(again.stderr).toMatch(/^skipped 1 build: the same files as those of the live build$/m);
  expect(again.stderr).toMatch(/^skipped 1 build: rolled back or found sick$/m);
  expect(await back()).toExit(6, 'rolled back or found sick');
  expect((await back(second)).json()).toMatchObject({ restored: second });
  expect(first).not.toBe(second);
});

test('takes the app of the folder, asks first, and a dry run changes nothing', async () => {
  const first = await deployed('one');
  await deployed('two');
  expect((await run('rollback web')).code).toBe(9);
  const { code, json, stdout } = await run('rollback web --dry-run --json');
  expect([code, json()]).toMatchObject([0, { restored: first, build: null, dryRun: true, changed: true }]);
  expect(stdout).not.toContain('undefined');
  expect(creations()).toBe(2);
  expect((await run('rollback --yes', { cwd: newFolder(smallApp()) })).code).toBe(0);
  expect((await run('rollback --yes')).code).toBe(2);
});

describe('fails before anything is created', () => {
  test.each<[string, () => Promise<unknown>, number, RegExp]>([
    ['without an earlier build', async () => {}, 6, /web has no build before \S+ that served, is well/],
    [
      'with an earlier build that failed',
      async () => {
        emulator.store.builds.clear();
        emulator.fail('build', 'build_failure');
        await run('deploy', { cwd: newFolder(smallApp()) });
        await deployed('three');
      },
      6,
      /has no build before \S+ that served, is well/,
    ],
    [
      'without the archive',
      async () => {
        await deployed('two');
        await rm(join(home, 'state', 'archives'), { recursive: true });
      },
      6,
      /build \S+ of web cannot be deployed again from here: there is no archive of it[\s\S]*--from-git/,
    ],
    [
      'with a damaged archive',
      async () => {
        await deployed('two');
        const folder = join(home, 'state', 'archives', 'files');
        for (const name of await readdir(folder)) await writeFile(join(folder, name), 'damaged');
      },
      6,
      /there is no archive of it/,
    ],
  ])('%s', async (_, arrange, code, message) => {
    await deployed('one');
    await arrange();
    const before = creations();
    const outcome = await back();
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(creations()).toBe(before);
  });

  test('with an archive that is not what the platform lists', async () => {
    const first = await deployed('one');
    await deployed('two');
    await forgetRecord();
    for (const build of emulator.store.builds.values()) build.files = { 'other.py': { size: 1, crc32: 1 } } as never;
    expect(await back(first)).toExit(7, 'does not have the files of build');
    expect(creations()).toBe(2);
  });

  test('without a list of the files that it had, unless forced', async () => {
    const first = await deployed('one');
    await deployed('two');
    await forgetRecord();
    for (const build of emulator.store.builds.values()) build.files = {} as never;
    const { code, stderr, json } = await back(first);
    expect([code, creations()]).toEqual([7, 2]);
    expect(stderr).toMatch(
      /cannot prove that the archive kept on this machine has the files of build \S+\n {2}why the platform lists no files of .*\n {2}fix to deploy it anyway: gantry rollback web .*--force\n/,
    );
    expect(json()).toMatchObject({ error: { details: { app: 'web', build: first } } });
    expect((await back(first, '--force')).code).toBe(0);
  });

  test('to a build that did not succeed', async () => {
    emulator.fail('build', 'build_failure');
    const failed = (await run('deploy --json', { cwd: newFolder(smallApp()) })).json() as {
      error: { details: { build: string } };
    };
    await deployed('two');
    expect((await back(failed.error.details.build)).code).toBe(7);
  });
});

test('a lost reply of create app is followed by a second build, and by a third if the URL of that one has expired', async () => {
  await deployed('one');
  await deployed('two');
  emulator.fail('createApp', 'reset-after');
  emulator.fail('upload', 'expired');
  const { code, stderr, json } = await back();
  expect([code, creations()]).toEqual([0, 5]);
  expect(stderr).toContain('a build of web may have been created that gets no upload');
  expect((await live()).latestReadyBuildId).toBe((json() as { build: string }).build);
  // The first one may be somebody else's.
  expect([...emulator.store.builds.values()].filter(({ cancelledAt }) => cancelledAt !== undefined)).toHaveLength(1);
});

test.each([
  ['sizes', ({ size }: { size: number }) => size],
  ['names', () => null],
])('a list of %s proves nothing: the SHA-256 on record does, or --force', async (_, shown) => {
  front = await altering(emulator, (_method, path, json) => {
    if (!path.endsWith('/zip-contents')) return undefined;
    const files = Object.entries((json as { zipFiles: Record<string, { size: number }> }).zipFiles);
    return { body: { zipFiles: Object.fromEntries(files.map(([name, facts]) => [name, shown(facts)])) } };
  });
  const first = await deployed('one');
  for (const version of ['two', 'three']) await deployed(version);
  expect((await back()).json()).toMatchObject({ proof: 'record', changed: true });
  await forgetRecord();
  expect(await back(first)).toExit(7, 'why the platform lists no checksums');
  expect((await back(first, '--force')).json()).toMatchObject({ proof: null, changed: true });
});

test('does not use the archives of another platform', async () => {
  await deployed('one');
  await deployed('two');
  front = await altering(emulator, () => undefined);
  expect((await back()).code).toBe(6);
});
