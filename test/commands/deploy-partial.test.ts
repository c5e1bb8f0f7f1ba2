import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { altering } from '../support/altering.ts';
import { folderOf, smallApp } from '../support/app.ts';
import { gantry, type Setting } from '../support/gantry.ts';

interface Deployed {
  build: string;
  bytes: number;
  files: number;
  partial: { base: string | null; sent: number; unchanged: number; reason: string | null };
}

let emulator: Emulator;
let home: string;
let app: Awaited<ReturnType<typeof folderOf>>;

beforeAll(async () => {
  emulator = await startEmulator({ real: false });
});
afterAll(() => emulator.close());

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gantry-home-'));
  app = await folderOf(files);
});
afterEach(async () => {
  await emulator.reset();
  await app[Symbol.asyncDispose]();
  await rm(home, { recursive: true, force: true });
});

const toml = '[cerebrium.dependencies.pip]\nnumpy = "latest"\nrequests = "latest"\n';
const files: Record<string, string> = {
  ...smallApp(toml),
  'run.sh': 'echo run\n',
  ...Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`data/${at}.txt`, `file ${at} `.repeat(200 + at)])),
};
const total = Object.keys(files).length + 1;

const write = (name: string, text: string) => writeFile(join(app.path, name), text);
const creations = () => emulator.calls.filter(({ endpoint }) => endpoint === 'createApp').length;

function run(flags: string[], setting: Setting = {}) {
  const env = { GANTRY_CONFIG_DIR: home, ...setting.env };
  return gantry(['deploy', '--json', ...flags], { emulator, cwd: app.path, ...setting, env });
}

async function deploy(flags: string[] = [], setting: Setting = {}): Promise<Deployed & { stderr: string }> {
  const outcome = await run(flags, setting);
  expect(outcome.code, outcome.stderr).toBe(0);
  return { ...(outcome.json() as Deployed), stderr: outcome.stderr };
}

/** The content of a build, by path. */
async function contents(build: string): Promise<Record<string, { size: number; crc32: number }>> {
  const { json } = await gantry(['builds', 'files', 'web', build, '--json'], { emulator });
  return (json() as { zipFiles: Record<string, { size: number; crc32: number }> }).zipFiles;
}

test('sends what has changed, and the build has all files', async () => {
  const first = await deploy();
  await write('data/7.txt', 'changed');
  await write('new.txt', 'new');
  const second = await deploy(['--partial']);
  expect(second).toMatchObject({
    files: 2,
    partial: { base: first.build, sent: 2, unchanged: total - 1, reason: null },
  });
  expect(second.bytes).toBeLessThan(first.bytes / 100);
  const built = await contents(second.build);
  expect(Object.keys(built)).toHaveLength(total + 1);
  expect(built['data/7.txt']?.size).toBe(7);

  // The next one finds this build as its base, and knows what it is made of.
  expect((await deploy(['--if-changed'])) as unknown).toMatchObject({ changed: false, build: second.build });
  await write('data/8.txt', 'changed');
  expect((await deploy(['--partial'])).partial).toMatchObject({ base: second.build, sent: 1, unchanged: total });
}, 60_000);

test('sends the config file if nothing has changed', async () => {
  await deploy();
  expect((await deploy(['--partial'])).partial).toMatchObject({ sent: 1, unchanged: total - 1 });
  expect((await run(['--partial', '--if-changed'])).json()).toMatchObject({ changed: false });
  expect(creations()).toBe(2);
});

test('sends a file whose mode has changed', async () => {
  await deploy();
  await chmod(join(app.path, 'run.sh'), 0o755);
  expect((await deploy(['--partial'])).partial.sent).toBe(1);
});

test.each<[string, () => Promise<unknown>, RegExp]>([
  ['a file is removed', () => rm(join(app.path, 'data/3.txt')), /^data\/3\.txt was removed$/],
  [
    'a generated file shrinks',
    () => write('cerebrium.toml', files['cerebrium.toml']?.replace(/requests.*\n/, '') ?? ''),
    /^requirements\.txt, which is generated, is smaller than in build /,
  ],
  [
    'all files change',
    () => Promise.all(Object.entries(files).map(([name, text]) => write(name, `${text}# more\nrequests2 = "1"\n`))),
    /^all files have changed$/,
  ],
])('sends all files if %s', async (_, change, reason) => {
  await deploy();
  await change();
  const { partial, stderr } = await deploy(['--partial']);
  expect(partial).toMatchObject({ base: null, unchanged: 0, reason: expect.stringMatching(reason) });
  expect(stderr).toContain(`sending all files: ${partial.reason}`);
});

test('sends all files of a new app, and after a build that failed uses the one before', async () => {
  const first = await deploy(['--partial']);
  expect(first.partial).toMatchObject({ base: null, sent: total, reason: 'web has no ready build' });
  await write('data/1.txt', 'broken');
  emulator.fail('build', 'build_failure');
  expect((await run([])).code).toBe(11);
  expect((await deploy(['--partial'])).partial).toMatchObject({ base: first.build, sent: 1 });
});

test('cancels a build of a part alone, sends all files, and remembers it', async () => {
  await deploy();
  await write('data/7.txt', 'changed');
  emulator.fail('build', 'keep-part');
  const { partial, build, stderr } = await deploy(['--partial']);
  const [, refused = ''] = /canceled build (\S+)|build (\S+) of web has already ended/.exec(stderr) ?? [];
  expect(partial).toMatchObject({
    base: null,
    sent: total,
    reason: expect.stringContaining('built only what was sent'),
  });
  expect(stderr).toMatch(/sending all files: the platform built only what was sent/);
  expect([creations(), refused]).toEqual([3, expect.not.stringContaining(build)]);
  expect(Object.keys(await contents(build))).toHaveLength(total);

  await write('data/8.txt', 'changed');
  expect((await deploy(['--partial'])).partial.reason).toMatch(/^this platform built only what was sent/);
  expect(creations()).toBe(4);
  await rm(home, { recursive: true });
  await write('data/9.txt', 'changed');
  expect((await deploy(['--partial'])).partial.reason).toBeNull();
});

test('sends all files if another deploy has replaced the base meanwhile', async () => {
  await deploy();
  await write('data/7.txt', 'changed');
  await using other = await folderOf({ ...files, 'data/9.txt': 'of somebody else' });
  let replaced = false;
  const env = await altering(emulator, async (method, path) => {
    if (replaced || method !== 'POST' || !path.endsWith('/apps')) return undefined;
    replaced = true;
    await gantry(['deploy'], { emulator, cwd: other.path });
    return undefined;
  });
  const { partial, build } = await deploy(['--partial'], { env, silenceMs: 60_000 });
  expect(replaced).toBe(true);
  expect(partial.reason).toMatch(/^the files of build \S+ are not those of \S+ with the changes$/);
  expect((await contents(build))['data/9.txt']?.size).toBe(files['data/9.txt']?.length);
});

/** The platform's list of files, as if it had less in it. */
const listing = (change: (files: Record<string, { size: number; crc32?: number }>) => unknown) =>
  altering(emulator, (_method, path, json) => {
    if (!path.endsWith('/zip-contents')) return undefined;
    return { body: { zipFiles: change((json as { zipFiles: Record<string, { size: number }> }).zipFiles) } };
  });

test('without checksums of the platform uses the record of this machine, or sends all files', async () => {
  const env = await listing((all) =>
    Object.fromEntries(Object.entries(all).map(([name, { size }]) => [name, { size }])),
  );
  await deploy([], { env });
  await write('data/7.txt', 'changed');
  expect((await deploy(['--partial'], { env })).partial).toMatchObject({ sent: 1, unchanged: total - 1 });
  await rm(home, { recursive: true });
  await write('data/7.txt', 'CHANGED');
  expect((await deploy(['--partial'], { env })).partial.reason).toMatch(
    /^it is not known which content \S+ has in build /,
  );
});

test('sends all files if the platform lists none', async () => {
  await deploy();
  const env = await listing(() => ({}));
  expect((await deploy(['--partial'], { env })).partial.reason).toMatch(
    /^the platform does not list the files of build /,
  );
});

test('repeats what is lost of the upload and the list, and no build that may have been created', async () => {
  await deploy();
  await write('data/7.txt', 'changed');
  emulator.fail('upload', 'reset-after', 'reset-during');
  emulator.fail('getBuildZipContents', 503, 503);
  expect((await deploy(['--partial'])).partial.sent).toBe(1);
  await write('data/7.txt', 'again');
  emulator.fail('createApp', 'reset-after');
  const { code, stderr } = await run(['--partial']);
  expect([code, creations()]).toEqual([expect.not.toBeOneOf([0]), 3]);
  expect(stderr).toContain('builds list web');
});

test('a dry run says what would be sent', async () => {
  const { build } = await deploy();
  await write('data/7.txt', 'changed');
  const partial = { base: build, sent: 1, unchanged: total - 1, reason: null };
  expect((await run(['--partial', '--dry-run'])).json()).toMatchObject({ dryRun: true, partial });
  const { stdout } = await gantry(['deploy', '--partial', '--dry-run'], { emulator, cwd: app.path });
  expect(stdout).toContain(`sends 1 of ${total} files, the others come from build ${build}`);
  expect(creations()).toBe(1);
});

test.each(['--plan', '--output'])('is not for %s', async (flag) => {
  const more = flag === '--output' ? ['--dry-run'] : [];
  const { code, stderr } = await run(['--partial', flag, 'plan.json', ...more]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('a plan is bound to the whole archive')]);
});
