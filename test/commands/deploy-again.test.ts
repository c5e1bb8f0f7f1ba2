import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { altering } from '../support/altering.ts';
import { folderOf, smallApp } from '../support/app.ts';
import { gantry, type Setting } from '../support/gantry.ts';

let emulator: Emulator;
let home: string;

beforeEach(async () => {
  emulator = await startEmulator({ real: false });
  home = await mkdtemp(join(tmpdir(), 'gantry-home-'));
});

afterEach(async () => {
  await emulator.close();
  await rm(home, { recursive: true, force: true });
});

const endpoint = () => `${emulator.url}/v4/${emulator.project}/web`;
const creations = () => emulator.calls.filter(({ endpoint: name }) => name === 'createApp').length;

/** One folder, one home, and `deploy` with flags in it. */
async function appWith(files: Record<string, string> = smallApp(), more: Setting = {}) {
  const app = await folderOf(files);
  const deploy = (...flags: string[]) => {
    const env = { GANTRY_CONFIG_DIR: home, ...more.env };
    return gantry(['deploy', ...flags], { emulator, cwd: app.path, ...more, env });
  };
  return Object.assign(app, { deploy });
}

describe('deploy --if-changed', () => {
  test('deploys nothing if the live build has the same settings and files', async () => {
    await using app = await appWith();
    const first = await app.deploy('--json');
    const { code, stdout, stderr } = await app.deploy('--if-changed');
    expect([code, stdout, creations()]).toEqual([0, `${endpoint()}\n`, 1]);
    const { build, dashboard } = first.json() as Record<string, string>;
    expect(stderr).toContain(`web is unchanged since build ${build}: nothing to deploy`);
    expect((await app.deploy('--if-changed', '--json')).json()).toMatchObject({
      ...{ changed: false, build, dashboard, endpoint: endpoint(), files: 0, bytes: 0 },
    });
    expect(first.json()).toMatchObject({ changed: true });
  });

  test('proves it by the checksums of the platform on a machine that has never deployed', async () => {
    await using app = await appWith();
    await app.deploy();
    await rm(home, { recursive: true });
    const { code, stderr } = await app.deploy('--if-changed');
    expect([code, creations()]).toEqual([0, 1]);
    expect(stderr).toContain('nothing to deploy');
  });

  test.each<[string, (folder: string) => Promise<unknown>, string[]]>([
    ['a byte', (folder) => writeFile(join(folder, 'main.py'), smallApp()['main.py']?.replace('w', 'W') ?? ''), []],
    ['a new file', (folder) => writeFile(join(folder, 'more.py'), ''), []],
    ['a removed file', (folder) => rm(join(folder, 'more.txt')), []],
    ['a setting', (folder) => writeFile(join(folder, 'cerebrium.toml'), `${toml}[cerebrium.hardware]\ncpu = 3\n`), []],
    ['a comment of the config file', (folder) => writeFile(join(folder, 'cerebrium.toml'), `${toml}# more\n`), []],
    ['the mode of a file', (folder) => chmod(join(folder, 'more.txt'), 0o755), []],
    ['the region', async () => {}, ['--region', 'eu-north-1']],
    ['the log level', async () => {}, ['--log-level', 'DEBUG']],
  ])('deploys a change of %s', async (_, change, flags) => {
    await using app = await appWith({ ...smallApp(), 'more.txt': 'more' });
    await app.deploy();
    await change(app.path);
    const { code, stderr } = await app.deploy('--if-changed', ...flags);
    expect([code, creations()]).toEqual([0, 2]);
    expect(stderr).toMatch(/: deploying$/m);
  });
  const toml = smallApp()['cerebrium.toml'] ?? '';

  test('deploys again what was scaled since, or failed', async () => {
    await using app = await appWith();
    emulator.fail('build', 'build_failure');
    expect((await app.deploy()).code).toBe(11);
    expect((await app.deploy('--if-changed')).code).toBe(0);
    expect(creations()).toBe(2);
    await gantry(['apps', 'scale', 'web', '--min-replicas', '1'], { emulator });
    await app.deploy('--if-changed');
    expect(creations()).toBe(3);
  });

  test('keeps the live build although a later one of other files failed', async () => {
    await using app = await appWith();
    await app.deploy();
    await writeFile(join(app.path, 'more.py'), '');
    emulator.fail('build', 'build_failure');
    await app.deploy();
    await rm(join(app.path, 'more.py'));
    const { stderr } = await app.deploy('--if-changed');
    expect(creations()).toBe(2);
    expect(stderr).toContain('nothing to deploy');
  });

  test('without checksums of the platform, believes only the record of this machine', async () => {
    const env = await altering(emulator, (_method, path, json) => {
      if (!path.endsWith('/zip-contents')) return undefined;
      const { zipFiles } = json as { zipFiles: Record<string, { size: number }> };
      const sizes = Object.fromEntries(Object.entries(zipFiles).map(([name, { size }]) => [name, { size }]));
      return { body: { zipFiles: sizes } };
    });
    await using app = await appWith(smallApp(), { env });
    await app.deploy();
    expect((await app.deploy('--if-changed')).stderr).toContain('nothing to deploy');
    await rm(home, { recursive: true });
    const { stderr } = await app.deploy('--if-changed');
    expect(stderr).toContain('cannot prove that web is unchanged');
    expect(creations()).toBe(2);
  });

  test('ignores a damaged record', async () => {
    await using app = await appWith();
    await app.deploy();
    const folder = join(home, 'state', 'deploys');
    for (const name of await readdir(folder)) await writeFile(join(folder, name), '{"build": 7');
    expect((await app.deploy('--if-changed')).stderr).toContain('nothing to deploy');
  });
});

describe('a setting that was changed outside of the config file', () => {
  const scale = () => gantry(['apps', 'scale', 'web', '--min-replicas', '1'], { emulator });

  test('is named when a deploy overwrites it', async () => {
    await using app = await appWith();
    await app.deploy();
    await scale();
    const { code, stderr } = await app.deploy();
    expect(code).toBe(0);
    expect(stderr).toContain('scaling.min_replicas 1 -> 0: changed outside of the config file');
    expect((await app.deploy()).stderr).not.toContain('changed outside');
  });

  test('is marked in the plan, other changes are not', async () => {
    await using app = await appWith();
    await app.deploy();
    await scale();
    const more = '[cerebrium.scaling]\nmax_replicas = 5\n';
    await writeFile(join(app.path, 'cerebrium.toml'), `${smallApp()['cerebrium.toml']}${more}`);
    const { settings } = (await app.deploy('--dry-run', '--json')).json() as { settings: object[] };
    expect(settings).toMatchObject([
      { setting: 'scaling.min_replicas', drifted: true },
      { setting: 'scaling.max_replicas', drifted: false },
    ]);
  });

  test('fails with --strict, before anything is created', async () => {
    await using app = await appWith();
    await app.deploy();
    await scale();
    const { code, stderr } = await app.deploy('--strict');
    expect([code, creations()]).toEqual([7, 1]);
    expect(stderr).toContain('scaling.min_replicas 1 -> 0');
    expect((await app.deploy('--strict', '--keep-scaling')).code).toBe(0);
  });

  test('stays with --keep-scaling', async () => {
    await using app = await appWith();
    await app.deploy();
    await scale();
    const { stderr } = await app.deploy('--keep-scaling');
    expect(stderr).not.toContain('changed outside');
    expect((await gantry(['apps', 'get', 'web', '--json'], { emulator })).json()).toMatchObject({ minReplicaCount: 1 });
    expect((await app.deploy('--keep-scaling', '--if-changed')).stderr).toContain('nothing to deploy');
  });
});

describe('deploy --if-busy', () => {
  /** A build that waits for its upload. */
  async function begun(): Promise<string> {
    const { json } = await gantry(['api', 'POST', '/v2/projects/{project}/apps', '--input', '-'], {
      emulator,
      stdin: JSON.stringify({ name: 'web', platform_toml: smallApp()['cerebrium.toml'] }),
    });
    return (json() as { buildId: string }).buildId;
  }
  const cancel = (build: string) => gantry(['builds', 'cancel', 'web', build, '--yes'], { emulator });

  test('by default says that it does not wait', async () => {
    await using app = await appWith();
    const other = await begun();
    const { code, stderr } = await app.deploy();
    expect(code).toBe(0);
    expect(stderr).toContain(`build ${other} (pending) of web in progress`);
  });

  test('by default does not wait for the list of builds, which is only for that note', async () => {
    await using app = await appWith();
    emulator.fail('listBuilds', 'stall*');
    expect((await gantry(['deploy'], { emulator, cwd: app.path, silenceMs: 600_000 })).code).toBe(0);
  });

  test('fail exits with 7 and names the builds', async () => {
    await using app = await appWith();
    const other = await begun();
    const { code, json } = await app.deploy('--if-busy', 'fail', '--json');
    expect(code).toBe(7);
    expect(json()).toMatchObject({ error: { details: { builds: [other] }, fix: expect.stringContaining('wait') } });
    expect(creations()).toBe(1);
  });

  test('cancel cancels them first', async () => {
    await using app = await appWith();
    const other = await begun();
    const { code, stderr } = await app.deploy('--if-busy', 'cancel');
    expect(code).toBe(0);
    expect(stderr).toContain(`canceled build ${other}`);
    expect((await gantry(['builds', 'get', 'web', other, '--json'], { emulator })).json()).toMatchObject({
      status: 'cancelled',
    });
  });

  test('wait uploads once the earlier builds have ended', async () => {
    await using app = await appWith();
    const other = await begun();
    let looks = 0;
    const meanwhile = async () => {
      if (++looks === 3) await cancel(other);
    };
    const { code, stderr } = await gantry(['deploy', '--if-busy', 'wait'], { emulator, cwd: app.path, meanwhile });
    expect(code).toBe(0);
    expect(stderr).toMatch(/Waited .* for other builds of web/);
    const order = emulator.calls.map(({ endpoint: name }) => name);
    expect(order.lastIndexOf('upload')).toBeGreaterThan(order.indexOf('cancelBuild'));
  });

  test('wait ends with exit code 8 at the timeout, and cancels its own build', async () => {
    await using app = await appWith();
    const other = await begun();
    const { code, json } = await app.deploy('--if-busy', 'wait', '--timeout', '300ms', '--json');
    expect(code).toBe(8);
    expect(json()).toMatchObject({ error: { details: { builds: [other] } } });
    const builds = emulator.store.getAppBuilds(`${emulator.project}-web`);
    expect(builds.map(({ id, cancelledAt }) => [id === other, cancelledAt !== undefined])).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  test('the same app twice with --if-changed makes one live build', async () => {
    await using app = await appWith();
    const flags = ['--if-busy', 'wait', '--if-changed', '--json'];
    const outcomes = await Promise.all([app.deploy(...flags), app.deploy(...flags)]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    const builds = emulator.store.getAppBuilds(`${emulator.project}-web`);
    expect(builds.filter(({ cancelledAt }) => cancelledAt === undefined)).toHaveLength(1);
    const live = outcomes.map(({ json }) => (json() as { build: string }).build);
    expect(live[0]).toBe(live[1]);
  });
});
