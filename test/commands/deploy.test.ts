import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emulatorForEach, gantry, inFrontOf, jsonLines, newFolder, smallApp } from '../support/index.ts';
import { atFirstCall } from '../support/requests.ts';

const emulator = emulatorForEach({ real: false });

describe('a deploy', () => {
  test('asks for secrets once', async () => {
    const app = newFolder({
      ...smallApp(),
      'main.py': `import os\nA = os.environ['A']\n${smallApp()['main.py']}`,
    });
    emulator.store.secrets.set(emulator.project, { A: 'x' });
    for (const words of [[], ['--if-changed']]) {
      const before = count('getProjectSecrets');
      expect(await gantry(['deploy', ...words], { emulator, cwd: app })).toMatchObject({ code: 0 });
      expect([words, count('getProjectSecrets') - before]).toEqual([words, 1]);
    }
  });

  test('prints one document with --json', async () => {
    expect((await gantry(['deploy', '--json'], { emulator, cwd: newFolder(smallApp()) })).json()).toMatchObject({
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
    const { code, stderr, json } = await gantry(['deploy', '--json'], { emulator, cwd: newFolder(smallApp(setting)) });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: ${said}`)]);
    expect(stderr.slice(stderr.indexOf(`error: ${said}`))).toContain(`\n  in  cerebrium.toml:${place}`);
    expect(json()).toMatchObject({ error: { details: { location: { file: 'cerebrium.toml' } } } });
  });

  test.each([
    ['the hardware has no provider of that name', undefined],
    ['"provider" is not known', '5:12'],
  ])('a setting whose name is a word of the language is meant at the beginning: %s', async (message, place) => {
    const app = newFolder(smallApp('[cerebrium.hardware]\nprovider = "aws"'));
    const env = await inFrontOf(emulator, ({ route }) =>
      route.endsWith('/apps') && route.startsWith('POST ')
        ? { status: 422, body: JSON.stringify({ message }) }
        : undefined,
    );
    const { stderr } = await gantry(['deploy'], { emulator, env, cwd: app });
    expect(stderr).toContain(`error: ${message}`);
    expect(/cerebrium\.toml:(\S+)/.exec(stderr.slice(stderr.indexOf(message)))?.[1]).toBe(place);
  });

  test('ignores a --json field that only a dry run has', async () => {
    const { code, json } = await gantry(['deploy', '--json=status,settings'], { emulator, cwd: newFolder(smallApp()) });
    expect(code).toBe(0);
    expect(json()).toEqual({ status: 'succeeded', settings: null });
  });

  test('streams events that end with the result', async () => {
    const { stdout } = await gantry(['deploy', '--events'], { emulator, cwd: newFolder(smallApp()) });
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
    await gantry(['deploy'], { emulator, cwd: app });
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
    expect((await gantry(['deploy', '--name', 'staging'], { emulator, cwd: newFolder(smallApp()) })).code).toBe(0);
    expect(JSON.stringify(creation().body)).not.toContain('"web"');
    expect(creation().body).toMatchObject({
      name: 'staging',
      platform_toml: expect.stringContaining('name = "staging"'),
    });
  });

  test('returns with --detach while the build continues', async () => {
    const app = newFolder(smallApp());
    emulator.fail('build', 'slow');
    const { code, stderr, json } = await gantry(['deploy', '--detach', '--json'], { emulator, cwd: app });
    expect(code).toBe(0);
    const { build, buildMs } = json() as { build: string; buildMs: number | null };
    expect(buildMs).toBeNull();
    expect(stderr).toContain(`gantry logs web --build ${build} -f`);
    expect(emulator.calls.some(({ endpoint }) => endpoint === 'cancelBuild')).toBe(false);
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
  const outcome = await gantry(['deploy', '--timeout', '1m'], {
    emulator,
    cwd: newFolder(smallApp()),
    clock,
    io: { silenceMs: 60_000 },
  });
  expect(outcome).toExit(8, /fix gantry logs web --build \S+ -f/, expect.not.stringContaining('cannot read'));
});

describe('a deploy that fails', () => {
  test('names one thing to type, and the build that is still shown', async () => {
    const setting = { emulator, cwd: newFolder(smallApp()) };
    emulator.fail('build', 'build_failure');
    expect((await gantry(['deploy', '-q'], setting)).stderr).not.toContain('serves');
    emulator.fail('build', 'build_failure');
    expect((await gantry(['deploy'], setting)).stderr).toContain('web has no live build\n');
    const { build } = (await gantry(['deploy', '--json'], setting)).json() as { build: string };
    emulator.fail('build', 'build_failure');
    const { stderr } = await gantry(['deploy'], setting);
    expect(stderr).toContain(`\nweb is still shown with build ${build.slice(0, 8)}\n`);
    emulator.fail('build', 'build_failure');
    const failed = (await gantry(['deploy', '--json'], setting)).json();
    expect(failed).toMatchObject({ error: { code: 'build-failed', details: { app: 'web', serves: build } } });
    expect(stderr.match(/gantry (?:explain|logs|builds)/g)).toHaveLength(1);
  });

  test('shows the cause and the line of the log that tells it, if the log was not followed', async () => {
    emulator.fail('build', 'build_failure');
    const { stderr } = await gantry(['deploy', '-q'], { emulator, cwd: newFolder(smallApp()) });
    expect(stderr).toMatch(/^cause: the package index has no torchh/m);
    expect(stderr).toContain('ERROR: No matching distribution');
  });
});

describe('Ctrl-C', () => {
  test('does not cancel an uploaded build with --detach', async () => {
    const { stderr } = await gantry(['deploy', '--detach'], {
      emulator,
      cwd: newFolder(smallApp()),
      stop: /Uploaded/,
    });
    expect(stderr).toContain('gantry builds cancel web');
    expect(count('cancelBuild')).toBe(0);
  });
});

describe('a dry run', () => {
  test('of a new app sends nothing', async () => {
    const { code, stdout, stderr } = await gantry(['deploy', '--dry-run'], { emulator, cwd: newFolder(smallApp()) });
    // The plan has the number of files.
    expect(stderr).not.toContain('Collected');
    expect(code).toBe(0);
    expect(stdout).toContain('a new app');
    expect(count('createApp')).toBe(0);
  });

  test('in a project that does not exist fails as each command there does', async () => {
    const app = newFolder(smallApp());
    const line = ['-p', 'p-99999999', '--json'];
    for (const words of [
      ['deploy', '--dry-run'],
      ['apps', 'list'],
    ]) {
      const { code, json } = await gantry([...words, ...line], { emulator, cwd: app });
      expect([code, json()]).toMatchObject([
        6,
        { error: { message: expect.stringContaining('p-99999999'), fix: 'gantry projects list' } },
      ]);
    }
  });

  test.each([
    ['deploy --dry-run'],
    ['deploy --dry-run --save-plan plan.json'],
    ['deploy --if-changed'],
    ['deploy --if-changed --if-busy wait'],
  ])('%s reads the app and its builds once', async (line) => {
    const app = newFolder(smallApp());
    await gantry(['deploy'], { emulator, cwd: app });
    emulator.calls.length = 0;
    expect((await gantry(line.split(' '), { emulator, cwd: app })).code).toBe(0);
    const asked = emulator.calls
      .map(({ endpoint }) => `${endpoint}`)
      .filter((endpoint) => /App$|Builds$/.test(endpoint));
    expect(asked.sort()).toEqual(['getApp', 'listBuilds']);
  });

  test('finds what --if-changed finds: the mode of a file', async () => {
    const app = newFolder(smallApp());
    await gantry(['deploy'], { emulator, cwd: app });
    await chmod(join(app, 'main.py'), 0o755);
    const dry = await gantry(['deploy', '--dry-run', '--json'], { emulator, cwd: app });
    expect(dry.json()).toMatchObject({ changed: true });
    const { json } = await gantry(['deploy', '--if-changed', '--json'], { emulator, cwd: app });
    expect(json()).toMatchObject({ changed: true });
  });

  test('shows changed settings, settings that return to their default, and changed files', async () => {
    const before = newFolder({
      ...smallApp('[cerebrium.scaling]\nmin_replicas = 2\nmax_replicas = 5\n'),
      'old.txt': 'x',
    });
    await gantry(['deploy'], { emulator, cwd: before });
    const after = newFolder({
      ...smallApp('[cerebrium.scaling]\nmax_replicas = 4\n'),
      'new.txt': 'x',
      'main.py': 'def run():\n    return 2\n',
    });
    const { code, json } = await gantry(['deploy', '--dry-run', '--detailed-exit-code', '--json'], {
      emulator,
      cwd: after,
    });
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
