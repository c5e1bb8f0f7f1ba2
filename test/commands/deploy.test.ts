import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emulatorForEach, gantry, inFrontOf, jsonLines, newFolder, type Setting, smallApp } from '../support/index.ts';
import { atFirstCall } from '../support/requests.ts';

const emulator = emulatorForEach({ real: false });

/** In the folder of a small app, unless it is told otherwise. */
const run = (line: string, setting: Setting = {}) =>
  gantry(line.split(' '), { emulator, cwd: newFolder(smallApp()), ...setting });

describe('a deploy', () => {
  test('asks for secrets once', async () => {
    const main = `import os\nA = os.environ['A']\n${smallApp()['main.py']}`;
    const cwd = newFolder({ ...smallApp(), 'main.py': main });
    emulator.store.secrets.set(emulator.project, { A: 'x' });
    for (const [at, line] of ['deploy', 'deploy --if-changed'].entries()) {
      expect(await run(line, { cwd })).toMatchObject({ code: 0 });
      expect([line, count('getProjectSecrets')]).toEqual([line, at + 1]);
    }
  });

  test('prints one document with --json', async () => {
    expect((await run('deploy --json')).json()).toMatchObject({
      app: 'web',
      project: emulator.project,
      runtime: 'cortex',
      status: 'succeeded',
      endpoint: `${emulator.url}/v4/${emulator.project}/web`,
      files: 2,
      packMs: expect.any(Number),
      uploadMs: expect.any(Number),
      buildMs: expect.any(Number),
    });
  });

  test.each([
    ['python_version = "3.9"', 'pythonVersion must be one of', '4:18\n      4 | python_version = "3.9"'],
    ['[cerebrium.scaling]\nmin_replicas = 0\ncooldown = -1', 'cooldownPeriodSeconds must be', '6:12'],
    ['[cerebrium.hardware]\nprovider = "nimbus"', 'provider must be one of', '5:12'],
    ['[cerebrium.runtime.custom]\nentrypoint = "serve"\nport = 70000', 'port must be at most', '6:8'],
  ])('shows the setting that the platform refuses: %s', async (setting, said, place) => {
    const { code, stderr, json } = await gantry('deploy --json', { emulator, cwd: newFolder(smallApp(setting)) });
    expect([code, stderr]).toEqual([10, expect.stringContaining(`error: ${said}`)]);
    expect(stderr.slice(stderr.indexOf(`error: ${said}`))).toContain(`\n  in  cerebrium.toml:${place}`);
    expect(json()).toMatchObject({ error: { details: { problems: [{ location: { file: 'cerebrium.toml' } }] } } });
  });

  test.each([
    ['the hardware has no provider of that name', undefined],
    ['"provider" is not known', '5:12'],
    ['memory must be at most 8; "provider" is not known', '6:10'],
  ])('a setting whose name is a word of the language is meant at the beginning: %s', async (message, place) => {
    const app = newFolder(smallApp('[cerebrium.hardware]\nprovider = "aws"\nmemory = 9'));
    const env = await inFrontOf(emulator, ({ route }) =>
      route.endsWith('/apps') && route.startsWith('POST ')
        ? { status: 422, body: JSON.stringify({ message }) }
        : undefined,
    );
    const { stderr } = await gantry('deploy', { emulator, env, cwd: app });
    expect(stderr).toContain(`error: ${message}`);
    expect(/cerebrium\.toml:(\S+)/.exec(stderr.slice(stderr.indexOf(message)))?.[1]).toBe(place);
    expect(stderr.includes('why it is also about cerebrium.toml:5\n')).toBe(message.startsWith('memory'));
  });

  test('streams events that end with the result', async () => {
    const { stdout } = await gantry('deploy --events', { emulator, cwd: newFolder(smallApp()) });
    const events = jsonLines(stdout);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['created', 'uploaded', 'status', 'log', 'result']),
    );
    expect(events.at(-1)).toMatchObject({ type: 'result', status: 'succeeded' });
  });

  test('sends only the settings of the file, under the platform’s names', async () => {
    const app = newFolder(
      smallApp('[cerebrium.hardware]\ncpu = 4\ncompute = "ADA_L4"\n[cerebrium.scaling]\nmax_replicas = 3\n'),
    );
    await gantry('deploy', { emulator, cwd: app });
    const { body } = creation();
    expect(body).toMatchObject({
      name: 'web',
      cpu: 4,
      compute: ['ADA_L4'],
      maxReplicaCount: 3,
      runtime: 'cortex',
      disableAuth: false,
    });
    expect(body).toHaveProperty('platform_toml', await readFile(join(app, 'cerebrium.toml'), 'utf8'));
    expect(Object.keys(body as object)).not.toContain('memory');
    expect(Object.keys(body as object)).not.toContain('dockerAuth');
  });

  test('uses the name of --name everywhere', async () => {
    expect((await run('deploy --name staging')).code).toBe(0);
    expect(JSON.stringify(creation().body)).not.toContain('"web"');
    const toml = expect.stringContaining('name = "staging"');
    expect(creation().body).toMatchObject({ name: 'staging', platform_toml: toml });
  });

  test('returns with --detach while the build continues, and Ctrl-C does not cancel it', async () => {
    emulator.fail('build', 'slow', 'slow');
    const outcome = await run('deploy --detach --json');
    const { build, buildMs } = outcome.json() as { build: string; buildMs: number | null };
    expect(buildMs).toBeNull();
    expect(outcome).toExit(0, `gantry logs web --build ${build} -f`);
    expect((await run('deploy --detach', { stop: /Uploaded/ })).stderr).toContain('gantry builds cancel web');
    expect(count('cancelBuild')).toBe(0);
  });
});

// Of other requests that hang: timeout.test.ts.
test('the timeout ends a deploy while the log of the build hangs', async () => {
  emulator.fail('build', 'slow');
  emulator.fail('getBuildLogs', 'stall*');
  const clock = { now: Date.now() };
  // Nearly all of the time is over once there is a build to follow, however busy this machine is.
  atFirstCall(emulator, 'object', () => {
    clock.now += 59_800;
  });
  const outcome = await run('deploy --timeout 1m', { clock, io: { silenceMs: 60_000 } });
  expect(outcome).toExit(8, /fix gantry logs web --build \S+ -f/, expect.not.stringContaining('cannot read'));
});

describe('a deploy that fails', () => {
  test('names one thing to type, and the build that is still shown', async () => {
    const setting = { cwd: newFolder(smallApp()) };
    const failing = (line: string) => {
      emulator.fail('build', 'build_failure');
      return run(line, setting);
    };
    expect((await failing('deploy -q')).stderr).not.toContain('serves');
    expect((await failing('deploy')).stderr).toContain('web has no live build\n');
    const { build } = (await run('deploy --json', setting)).json() as { build: string };
    const { stderr } = await failing('deploy');
    expect(stderr).toContain(`\nweb is still shown with build ${build.slice(0, 8)}\n`);
    const error = { code: 'build-failed', details: { app: 'web', serves: build } };
    expect((await failing('deploy --json')).json()).toMatchObject({ error });
    expect(stderr.match(/gantry (?:explain|logs|builds)/g)).toHaveLength(1);
  });

  test('shows the cause and the line of the log that tells it, if the log was not followed', async () => {
    emulator.fail('build', 'build_failure');
    const cause = /^cause: the package index has no torchh/m;
    expect(await run('deploy -q')).toExit(11, cause, 'ERROR: No matching distribution');
  });
});

describe('a dry run', () => {
  test('of a new app sends nothing', async () => {
    const { code, stdout, stderr } = await run('deploy --dry-run');
    // The plan has the number of files.
    expect(stderr).not.toContain('Collected');
    expect([code, stdout, count('createApp')]).toEqual([0, expect.stringContaining('a new app'), 0]);
  });

  test.each(['deploy --dry-run', 'apps list'])('%s in a project that does not exist fails alike', async (line) => {
    const { code, json } = await run(`${line} -p p-99999999 --json`);
    const error = { message: expect.stringContaining('p-99999999'), fix: 'gantry projects list' };
    expect([code, json()]).toMatchObject([6, { error }]);
  });

  test.each([
    ['deploy --dry-run'],
    ['deploy --dry-run --save-plan plan.json'],
    ['deploy --if-changed'],
    ['deploy --if-changed --if-busy wait'],
  ])('%s reads the app and its builds once', async (line) => {
    const setting = { cwd: newFolder(smallApp()) };
    await run('deploy', setting);
    emulator.calls.length = 0;
    expect((await run(line, setting)).code).toBe(0);
    const asked = emulator.calls.map(({ endpoint }) => `${endpoint}`).filter((name) => /App$|Builds$/.test(name));
    expect(asked.sort()).toEqual(['getApp', 'listBuilds']);
  });

  test('finds what --if-changed finds: the mode of a file', async () => {
    const cwd = newFolder(smallApp());
    await run('deploy', { cwd });
    await chmod(join(cwd, 'main.py'), 0o755);
    for (const line of ['deploy --dry-run --json', 'deploy --if-changed --json'])
      expect((await run(line, { cwd })).json()).toMatchObject({ changed: true });
  });

  test('shows changed settings, settings that return to their default, and changed files', async () => {
    const scaling = '[cerebrium.scaling]\nmin_replicas = 2\nmax_replicas = 5\n';
    await run('deploy', { cwd: newFolder({ ...smallApp(scaling), 'old.txt': 'x' }) });
    const files = { 'new.txt': 'x', 'main.py': 'def run():\n    return 2\n' };
    const cwd = newFolder({ ...smallApp('[cerebrium.scaling]\nmax_replicas = 4\n'), ...files });
    const { code, json } = await run('deploy --dry-run --detailed-exit-code --json', { cwd });
    expect(code).toBe(3);
    expect(json()).toMatchObject({
      dryRun: true,
      exists: true,
      changed: true,
      settings: expect.arrayContaining([
        { setting: 'scaling.max_replicas', from: 5, to: 4, byDefault: false, drifted: false },
        { setting: 'scaling.min_replicas', from: 2, to: 0, byDefault: true, drifted: false },
      ]),
      fileChanges: { added: ['new.txt'], changed: ['cerebrium.toml', 'main.py'], removed: ['old.txt'] },
    });
  });
});

function creation() {
  const call = emulator.calls.findLast(({ endpoint }) => endpoint === 'createApp');
  if (!call) throw new Error('nothing was created');
  return call;
}

function count(endpoint: string): number {
  return emulator.calls.filter((call) => call.endpoint === endpoint).length;
}
