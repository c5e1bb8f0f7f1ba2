import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, repositoryOf, smallApp, withGit } from '../support/index.ts';

let home: string;
let app: ReturnType<typeof repositoryOf>;
/** The builds of `data.txt` with `one` and with `two`, of which the first is live again after a reset. */
let builds: string[];

const emulator = emulatorForAll({ real: false });

beforeAll(async () => {
  home = newFolder();
});

/** The archives are not on this machine, and the second commit is checked out. */
beforeEach(async () => {
  await emulator.reset();
  app = repositoryOf({ ...smallApp(), 'data.txt': 'one', '.gitattributes': '*.bin filter=lfs\n' });
  builds = [await deployed()];
  await writeFile(join(app.path, 'data.txt'), 'two');
  app.git('commit', '--all', '--quiet', '--message', 'second');
  builds.push(await deployed());
});
function run(words: string[], cwd = app.path) {
  return gantry(words, { emulator, cwd, env: { ...withGit, GANTRY_CONFIG_DIR: home, GANTRY_KEEP_ARCHIVES: 'off' } });
}

async function deployed() {
  return ((await run(['deploy', '--json'])).json() as { build: string }).build;
}

const back = (revision: string, ...flags: string[]) =>
  run(['rollback', 'web', '--yes', '--json', '--from-git', revision, ...flags]);
const creations = () => emulator.calls.filter(({ endpoint }) => endpoint === 'createApp').length;
const leftovers = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('gantry-git-'));

test('deploys a revision whose files are those of the build, and leaves the repository as it is', async () => {
  await writeFile(join(app.path, 'data.txt'), 'not committed');
  const before = app.git('status', '--porcelain');
  const { code, json } = await back('HEAD~1');
  expect(code).toBe(0);
  expect(json()).toMatchObject({ restored: builds[0], source: 'git', commit: app.git('rev-parse', 'HEAD~1') });
  expect([app.git('status', '--porcelain'), await leftovers()]).toEqual([before, []]);
  const { build } = json() as { build: string };
  const [restored, old] = [build, builds[0] ?? ''].map((id) => emulator.store.builds.get(id)?.files);
  expect(restored).toEqual(old);
  // It is on record as the revision, not as what is checked out.
  const sent = (await run(['builds', 'get', 'web', build, '--json'])).json();
  expect(sent).toMatchObject({ commit: app.git('rev-parse', 'HEAD~1'), dirty: false, evidence: 'record' });
});

test('finds the folder of the app in a repository of several, as status --serves does', async () => {
  const folders = Object.entries(smallApp()).map(([path, text]) => [`apps/web/${path}`, text]);
  const api = smallApp()['cerebrium.toml']?.replace('"web"', '"api"') ?? '';
  const { path } = repositoryOf({ ...Object.fromEntries(folders), 'api/cerebrium.toml': api });
  const deploy = async () => (await run(['deploy', '--json', '-C', 'apps/web'], path)).json() as { build: string };
  const { build } = await deploy();
  await deploy();
  expect((await run(['rollback', 'web', build, '--yes', '--from-git', 'HEAD'], path)).code).toBe(0);
});

test('refuses a revision with other files before anything is created, unless forced', async () => {
  const { code, stderr, json } = await back('HEAD');
  expect([code, creations()]).toEqual([7, 2]);
  expect(stderr).not.toContain('not included');
  expect(json()).toMatchObject({ error: { details: { changed: ['data.txt'] } } });
  expect(await leftovers()).toEqual([]);
  expect((await back('HEAD', '--force')).code).toBe(0);
  expect(creations()).toBe(3);
});

test('a revision that git does not know, and a folder in no repository, are mistakes', async () => {
  for (const [revision, message, cwd] of [
    ['no-such-branch', 'unknown git revision no-such-branch'],
    ['--output=/tmp/x', 'unknown git revision'],
    ['HEAD', 'is not in a git repository', tmpdir()],
  ] as const) {
    expect(await run(['rollback', 'web', '--yes', `--from-git=${revision}`], cwd)).toExit(2, message);
  }
});

test('of a shallow clone, tells how to get the commits that it lacks', async () => {
  const shallow = newFolder();
  app.git('clone', '--quiet', '--depth=1', `file://${app.path}`, shallow);
  const outcome = await run(['rollback', 'web', '--yes', '--from-git', 'HEAD~1'], shallow);
  expect(outcome).toExit(2, 'unknown git revision HEAD~1', 'which has not all commits', 'git fetch --unshallow');
});

test('finds an app below the root of the repository, under another name', async () => {
  const { 'cerebrium.toml': config = '' } = smallApp();
  app = repositoryOf({ 'apps/web/cerebrium.toml': config, 'apps/web/main.py': '', 'more.txt': '' });
  const folder = join(app.path, 'apps', 'web');
  const named = ['--name', 'other'];
  await run(['deploy', ...named], folder);
  await writeFile(join(folder, 'main.py'), 'changed = True\n');
  await run(['deploy', ...named], folder);
  const { code, json, stderr } = await run(['rollback', 'other', '--yes', '--json', '--from-git', 'main'], folder);
  expect([code, json()]).toMatchObject([0, { app: 'other', changed: true, files: 2 }]);
  expect(stderr).not.toContain('app folder');
});

test('says that submodules are missing', async () => {
  await writeFile(join(app.path, 'model.bin'), '');
  app.git('add', 'model.bin');
  app.git('update-index', '--add', '--cacheinfo', `160000,${app.git('rev-parse', 'HEAD')},vendor`);
  app.git('commit', '--quiet', '--message', 'third');
  expect(await back('HEAD')).toExit(7, '1 submodule not included: vendor');
});
