import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import { emulatorForAll, gantry, keys, newFolder, repositoryOf, type Setting, withGit } from '../support/index.ts';

let home: string;
let app: ReturnType<typeof repositoryOf>;

const emulator = emulatorForAll({ real: false });

beforeEach(async () => {
  await emulator.reset();
  home = newFolder();
  app = repositoryOf(smallApp(), 'git@github.test:org/shop.git');
});
function run(words: string[], { env = {}, cwd = app.path, ...more }: Setting = {}) {
  return gantry(words, { emulator, cwd, env: { ...withGit, GANTRY_CONFIG_DIR: home, ...env }, ...more });
}

async function preview(words: string[] = [], more: Setting = {}) {
  const { code, stdout, stderr, json } = await run(['deploy', '--json', '--preview', ...words], more);
  return { code, stdout, stderr, app: code === 0 ? (json() as { app: string }).app : '' };
}

const appNames = () => [...emulator.store.apps.values()].map(({ name }) => name).sort();

describe('deploy --preview', () => {
  test('makes an app of its own for the branch, and prints its address', async () => {
    app.git('checkout', '-q', '-b', 'fix/Login_ü');
    const { code, stdout, stderr } = await run(['deploy', '--preview']);
    const [name = ''] = appNames();
    expect([code, appNames()]).toEqual([0, [expect.stringMatching(/^web-fix-login-u-[0-9a-f]{8}$/)]]);
    expect(stdout).toBe(`${emulator.url}/v4/${emulator.project}/${name}\n`);
    expect(stderr).toContain(`preview of fix/Login_ü: app ${name}`);
    expect((await preview()).app).toBe(name);
    expect(appNames()).toHaveLength(1);
  });

  test('has the same name in other clones, and another one for other branches, apps and repositories', async () => {
    const named = async (...words: string[]) => (await preview([...words, '--dry-run'])).app;
    const names = [await named()];
    app.git('remote', 'set-url', 'origin', 'https://token@github.test/org/shop');
    expect(await named()).toBe(names[0]);
    app.git('checkout', '-q', '-b', 'a-b');
    names.push(await named(), await named('a_b'), await named('--name', 'web-a'));
    app.git('remote', 'set-url', 'origin', 'git@github.test:org/fork.git');
    names.push(await named());
    const long = `very-long-branch-name-${'x'.repeat(80)}`;
    names.push(await named(`${long}1`), await named(`${long}2`));
    expect(new Set(names).size).toBe(7);
    expect(Math.max(...names.map((name) => name.length))).toBe(63);
  });

  test('is no app that this folder has deployed', async () => {
    app.git('checkout', '-q', '-b', 'fix');
    await preview();
    app.git('checkout', '-q', 'main');
    expect((await run(['deploy', '--name', 'web-staging'])).code).toBe(0);
    expect((await run(['deploy'])).stderr).toContain(
      'this folder has deployed web-staging, and web would be a new app',
    );
    expect((await run(['deploy', '-p', 'p-none'])).stderr).toContain('error: project p-none not found');
  });

  test('does not take a pull request for a branch', async () => {
    app.git('checkout', '-q', '--detach');
    const event = join(home, 'event.json');
    await writeFile(event, 'not json');
    const env = { GITHUB_HEAD_REF: 'main', GITHUB_REF: 'refs/heads/main', GITHUB_EVENT_PATH: event };
    expect(await run(['deploy', '--preview', '--dry-run'], { env })).toExit(2, 'is from a fork is not known');
  });

  test('needs a branch or a name', async () => {
    app.git('checkout', '-q', '--detach');
    expect((await preview()).code).toBe(2);
    const folder = newFolder(smallApp());
    expect((await preview([], { cwd: folder })).code).toBe(2);
    expect((await preview(['demo'], { cwd: folder })).app).toMatch(/^web-demo-/);
  });

  test('has 0 to 1 replicas whatever the file says, and what it was scaled to with --keep-scaling', async () => {
    const scaling = '[cerebrium.scaling]\nmin_replicas = 2\nmax_replicas = 6\n';
    await writeFile(join(app.path, 'cerebrium.toml'), `${smallApp()['cerebrium.toml']}${scaling}`);
    const { app: name, stderr } = await preview();
    const settings = () => emulator.store.apps.get(`${emulator.project}-${name}`)?.settings;
    expect(stderr).toContain('the preview has 0 to 1 replicas instead of 2 to 6');
    expect(settings()).toMatchObject({ minReplicaCount: 0, maxReplicaCount: 1 });
    expect((await run(['deploy', '--preview', '--dry-run'])).stdout).toContain('0 to 1 replicas');
    await run(['apps', 'scale', name, '--max-replicas', '4']);
    await run(['deploy', '--preview', '--keep-scaling']);
    expect(settings()).toMatchObject({ minReplicaCount: 0, maxReplicaCount: 4 });
  });
});

describe('previews', () => {
  /** Previews of a merged, an open and a deleted branch, of another repository, and apps that only look like one. */
  async function arranged() {
    const at: Record<string, string> = {};
    app.git('checkout', '-q', '-b', 'merged');
    app.git('commit', '-q', '--allow-empty', '-m', 'more');
    at.merged = (await preview()).app;
    app.git('checkout', '-q', 'main');
    app.git('merge', '-q', '--no-ff', '-m', 'merge', 'merged');
    app.git('checkout', '-q', '-b', 'open');
    app.git('commit', '-q', '--allow-empty', '-m', 'more');
    at.open = (await preview()).app;
    app.git('checkout', '-q', '-b', 'gone');
    at.gone = (await preview()).app;
    app.git('checkout', '-q', 'main');
    app.git('branch', '-q', '-D', 'gone');
    app.git('remote', 'set-url', 'origin', 'git@github.test:org/fork.git');
    at.foreign = (await preview(['theirs'])).app;
    app.git('remote', 'set-url', 'origin', 'git@github.test:org/shop.git');
    for (const name of ['web', 'web-staging', 'web-x-deadbeef']) await run(['deploy', '--name', name, '--new']);
    return at;
  }

  /** Lists them on a machine that has all records but those of previews. */
  async function expectProofs({ merged, open, gone, foreign }: Record<string, string>): Promise<void> {
    const unrecorded = newFolder();
    await cp(home, unrecorded, { recursive: true });
    const records = join(unrecorded, 'state', 'history');
    for (const file of await readdir(records)) {
      const lines = (await readFile(join(records, file), 'utf8')).split('\n');
      await writeFile(join(records, file), lines.filter((line) => !line.includes('"event":"preview"')).join('\n'));
    }
    const { json } = await run(['apps', 'list', '--previews', '--json'], { env: { GANTRY_CONFIG_DIR: unrecorded } });
    const previews = json() as { app: string; proof: string | null; merged: boolean | null }[];
    const found = Object.fromEntries(previews.map(({ app: name, proof, merged: is }) => [name, [proof, is]]));
    expect(found).toEqual({
      [merged ?? '']: ['branch', null],
      [open ?? '']: ['branch', false],
      ...Object.fromEntries([gone, foreign, 'web-x-deadbeef'].map((name) => [name, [null, null]])),
    });
  }

  test('are listed with a proof, others as unproven; prune deletes only those of this repository, after its name is typed, or those that its flags choose', async () => {
    const at = await arranged();
    const { merged, foreign } = at;
    await expectProofs(at);
    const pruned = async (...flags: string[]) => {
      const { json } = await run(['apps', 'prune', '--dry-run', '--json', ...flags]);
      return (json() as { app: string }[]).map(({ app: name }) => name);
    };
    expect(await pruned('--merged')).toEqual([merged]);
    const { json } = await run(['apps', 'prune', '--merged', '--dry-run', '--json=confirm']);
    const [{ confirm = '' } = {}] = json() as { confirm?: string }[];
    const { code } = await run(['apps', 'prune', '--merged', '--confirm', `${confirm}x`]);
    expect([code, confirm]).toEqual([2, expect.stringMatching(/./)]);
    expect(await pruned('--older-than', '1h')).toEqual([]);
    expect(await pruned('--older-than', '0s')).toHaveLength(3);
    expect(await pruned('--merged', '--older-than', '1h')).toEqual([]);
    for (const flags of [[], ['--yes']]) expect((await run(['apps', 'prune', ...flags])).code).toBe(9);
    expect((await run(['apps', 'prune', '--confirm', 'other'])).code).toBe(2);
    expect(appNames()).toHaveLength(7);
    const done = await run(['apps', 'prune', '--confirm', 'shop', '--json']);
    expect([done.code, (done.json() as object[]).length]).toEqual([0, 3]);
    expect(appNames()).toEqual(['web', 'web-staging', 'web-x-deadbeef', foreign ?? ''].sort());
  });

  describe('prune --merged', () => {
    const pruned = async () => {
      const { json, stderr } = await run(['apps', 'prune', '--merged', '--dry-run', '--json']);
      return { apps: (json() as { app: string }[]).map(({ app: name }) => name), stderr };
    };
    const commit = (text: string) => app.git('commit', '-q', '--allow-empty', '-m', text);

    test('leaves a branch without commits of its own, also when the default branch has moved on', async () => {
      app.git('checkout', '-q', '-b', 'fresh');
      const { app: name } = await preview();
      app.git('checkout', '-q', 'main');
      const why = expect.stringContaining(`skipped ${name}: no own commits are known to be merged`);
      expect(await pruned()).toEqual({ apps: [], stderr: why });
      // It is too young, whatever became of its commits.
      const young = await run(['apps', 'prune', '--merged', '--older-than', '1d', '--dry-run']);
      expect(young.stderr).not.toContain(name);
      commit('of somebody else');
      expect(await pruned()).toEqual({ apps: [], stderr: why });
    });

    test('goes by the default branch of the remote when the local one is behind', async () => {
      commit('pushed by somebody else');
      app.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
      app.git('reset', '-q', '--hard', 'HEAD~1');
      app.git('checkout', '-q', '-b', 'fresh', 'origin/main');
      await preview();
      commit('pushed later');
      app.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
      app.git('reset', '-q', '--hard', 'HEAD~1');
      expect((await pruned()).apps).toEqual([]);
    });

    test('deletes a branch that was merged without a merge commit', async () => {
      app.git('checkout', '-q', '-b', 'work');
      commit('mine');
      const { app: name } = await preview();
      app.git('checkout', '-q', 'main');
      app.git('merge', '-q', '--ff-only', 'work');
      commit('more');
      expect((await pruned()).apps).toEqual([name]);
    });
  });

  test('prune leaves what was deployed while it asked', async () => {
    const { app: name } = await preview();
    const record = emulator.store.apps.get(`${emulator.project}-${name}`);
    const { json } = await run(['apps', 'prune', '--json'], {
      stdin: keys('shop\n'),
      columns: 200,
      seen: (_, stderr) => {
        if (stderr.includes('Type shop') && record)
          emulator.store.apps.set(record.id, { ...record, updatedAt: Date.now() + 60_000 });
      },
    });
    expect([json(), appNames()]).toMatchObject([[{ app: name, changed: false }], [name]]);
  });

  test('outside of a repository are those of the app in this folder, and are not pruned', async () => {
    const bare = newFolder(smallApp());
    const other = newFolder({ 'cerebrium.toml': '[cerebrium.deployment]\nname = "other"\n' });
    expect((await run(['deploy', '--preview', 'demo'], { cwd: bare })).code).toBe(0);
    const { code, json } = await run(['apps', 'list', '--previews', '--json'], { cwd: bare });
    expect([code, json()]).toEqual([0, [expect.objectContaining({ branch: 'demo', proof: 'record', merged: null })]]);
    expect((await run(['apps', 'list', '--previews', '--json'], { cwd: other })).json()).toEqual([]);
    expect(await run(['apps', 'prune'], { cwd: bare })).toExit(2, 'is not in a git repository');
  });
});
