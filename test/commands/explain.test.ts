import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/index.ts';
import { altering } from '../support/altering.ts';
import { deployWeb, emulatorForAll, gantry, machine, newFolder, print, record, smallApp } from '../support/index.ts';

const emulator = emulatorForAll({ real: false });

const withPackage = smallApp('\n[cerebrium.dependencies.pip]\nnumpy = "1.26.4"\ntorchh = "latest"\n');

/** The app of a folder after a deploy that failed. */
async function failedApp(status: Parameters<Emulator['fail']>[1], files: Record<string, string> = smallApp()) {
  emulator.fail('build', status);
  const app = newFolder(files);
  expect((await gantry(['deploy'], { emulator, cwd: app })).code).toBeGreaterThan(0);
  return app;
}

test('explains the failed build of the app in the folder, with the line of its config file', async () => {
  const app = await failedApp('build_failure', withPackage);
  const { code, stdout } = await gantry(['explain'], { emulator, cwd: app });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^cause: the package index has no torchh for this system\n {2}in {2}cerebrium\.toml:7:10\n.*torchh = "latest".*\n.*\n {2}why line \d+ of the log: ERROR: No matching distribution found for torchh\n {2}fix /,
  );
  const { json } = await gantry(['explain', 'web', '--json'], { emulator, cwd: app });
  expect(json()).toMatchObject({
    app: 'web',
    status: 'build_failure',
    failed: true,
    cause: 'package-not-found',
    evidence: { source: 'log', text: 'ERROR: No matching distribution found for torchh' },
    location: { file: 'cerebrium.toml', line: 7 },
  });
  // What shows the cause is the evidence, and nothing is to be looked up.
  for (const name of ['log', 'next']) expect(json()).not.toHaveProperty(name);
});

test.each<[string, string[], Parameters<Emulator['fail']>[]]>([
  ['has begun', [], []],
  ['has begun, as the latest', ['web', 'latest'], []],
  ['is not shown yet', [], [['getBuild', '404']]],
])('explains the deploy that failed while another one %s', async (_, words, faults) => {
  const cwd = await failedApp('build_failure', withPackage);
  const { url, token, project } = emulator;
  await fetch(`${url}/v2/projects/${project}/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'web', runtime: 'cortex' }),
  });
  for (const fault of faults) emulator.fail(...fault);
  const { json, stderr } = await gantry(['explain', ...words, '--json'], { emulator, cwd });
  expect(json()).toMatchObject({ cause: 'package-not-found' });
  const said = /build \w+ is in progress: build \w+ is the newest that ended/;
  if (faults.length === 0) expect(stderr).toMatch(said);
});

test.each([
  ['its section', '[cerebrium.dependencies.pip]\nnumpy = "1"\n', 4],
  ['nothing, without its section', '', null],
  ['nothing, without its section beside others', '[cerebrium.dependencies.apt]\nffmpeg = ""\n', null],
])('of a missing package, the config file shows %s', async (_, more, line) => {
  const app = newFolder({ ...smallApp(more), 'a.log': "ModuleNotFoundError: No module named 'cv2'\n" });
  const { stdout } = await gantry(['explain', '--file', 'a.log'], { cwd: app });
  expect(stdout).toContain('cause: the Python module cv2 is not installed\n');
  expect(stdout.includes(`in  cerebrium.toml:${line}:1`)).toBe(line !== null);
  expect(stdout.includes('cerebrium.toml:')).toBe(line !== null);
});

test.each([
  ['in the file that the config names', 'needs.txt', '[cerebrium.dependencies.paths]\npip = "needs.txt"\n'],
  ['in the usual file', 'requirements.txt', '[cerebrium.dependencies.pip]\n'],
])('a package that the index does not have is shown where it is required: %s', async (_, name, more) => {
  const log = 'ERROR: No matching distribution found for my-torchh\n';
  const app = newFolder({ ...smallApp(more), [name]: 'my-torchh2\n my_Torchh==1 # own\n', 'a.log': log });
  const { json } = await gantry(['explain', '--file', 'a.log', '--json=location'], { cwd: app });
  expect(json()).toMatchObject({ location: { file: name, line: 2, column: 2, length: 9 } });
});

test('uses no config file of another app', async () => {
  await failedApp('build_failure');
  const config = String(withPackage['cerebrium.toml']).replace('"web"', '"other"');
  const other = newFolder({ ...withPackage, 'cerebrium.toml': config });
  const { json, stderr } = await gantry(['explain', 'web', '--json=location,cause'], { emulator, cwd: other });
  expect(json()).toEqual({ location: null, cause: 'package-not-found' });
  expect(stderr).toBe('the files of web are not in this folder: with -C FOLDER, explain looks at them\n');
  const here = await gantry(['explain', 'web', '-C', newFolder(withPackage)], { emulator, cwd: other });
  expect(here.stderr).not.toContain('not in this folder');
  expect((await gantry(['status', 'web'], { emulator, cwd: other })).stderr).not.toContain('not in this folder');
});

test('looks at the files of an app that this folder has deployed under another name', async () => {
  emulator.fail('build', 'build_failure');
  const cwd = newFolder(withPackage);
  expect(await gantry(['deploy', '--name', 'staging'], { emulator, cwd })).toExit(11);
  const { json, stderr } = await gantry(['explain', 'staging', '--json=location'], { emulator, cwd });
  expect([json(), stderr]).toEqual([{ location: expect.objectContaining({ file: 'cerebrium.toml' }) }, '']);
});

test.each(['nothing', 'an older build'])('says why a deploy is refused when %s failed', async (failed) => {
  const broken = { ...smallApp(), 'cerebrium.toml': '[cerebrium.deployment]\nname = "whole"\n' };
  const app = newFolder(broken);
  if (failed !== 'nothing') emulator.fail('build', 'init_failure');
  await gantry(['deploy'], { emulator, cwd: app });
  writeFileSync(join(app, 'cerebrium.toml'), `${broken['cerebrium.toml']}[cerebrium.hardware]\ncpu = "many"\n`);
  expect((await gantry(['deploy'], { emulator, cwd: app })).code).toBe(10);
  expect((await gantry(['explain', 'whole', '--json'], { emulator, cwd: app })).json()).toMatchObject({
    cause: 'refused',
    failed: true,
    build: null,
    run: null,
    title: expect.stringMatching(/^a deploy of this folder is refused: .*cpu/),
    location: { file: 'cerebrium.toml', line: 4 },
    next: [{ argv: ['gantry', 'check'] }],
  });
  // What failed since is explained, whatever the folder has.
  utimesSync(join(app, 'cerebrium.toml'), 0, 0);
  const { stdout } = await gantry(['explain', 'whole'], { emulator, cwd: app });
  expect(stdout.startsWith('cause: a deploy of this folder is refused')).toBe(failed === 'nothing');
});

test('of an app that is named, not what is wrong with a file that may be of another', async () => {
  const app = newFolder(smallApp());
  emulator.fail('build', 'init_failure');
  await gantry(['deploy'], { emulator, cwd: app });
  const elsewhere = newFolder({ 'cerebrium.toml': '[cerebrium.deployment]\nname = "wapp\n' });
  const { stdout, stderr } = await gantry(['explain', 'web'], { emulator, cwd: elsewhere });
  expect(stdout).not.toContain('a deploy of this folder is refused');
  expect(stderr).toContain('warning: cerebrium.toml is ignored');
  const { stdout: own } = await gantry(['status', 'web'], { emulator, cwd: elsewhere });
  expect(own).not.toContain('a deploy of this folder is refused');
});

test('says why a deploy is refused whose code needs a secret, also in the status of the app', async () => {
  const main = 'import os\nkey = os.environ["NOT_SET_KEY"]\ndef run():\n    return key\n';
  const app = newFolder(smallApp());
  await gantry(['deploy'], { emulator, cwd: app });
  writeFileSync(join(app, 'main.py'), main);
  expect((await gantry(['deploy'], { emulator, cwd: app })).code).toBe(10);
  expect((await gantry(['explain', '--json'], { emulator, cwd: app })).json()).toMatchObject({
    cause: 'refused',
    fix: null,
    location: { file: 'main.py', line: 2 },
    next: [{ argv: ['gantry', 'secrets', 'set', 'NOT_SET_KEY', '--app', 'web', '--from-env'] }],
  });
  const { stdout } = await gantry(['status'], { emulator, cwd: app });
  expect(stdout).toMatch(/^failure\ta deploy of this folder is refused: /m);
});

test('says that nothing failed', async () => {
  const app = newFolder(smallApp());
  await gantry(['deploy'], { emulator, cwd: app });
  const { code, stdout } = await gantry(['explain'], { emulator, cwd: app });
  expect([code, stdout]).toEqual([
    0,
    'the latest build of web has not failed, and no run has; runs of the last seconds may not be listed yet\n',
  ]);
  expect((await gantry(['explain', '--json=failed,cause,title'], { emulator, cwd: app })).json()).toEqual({
    failed: false,
    cause: null,
    title: 'the latest build of web has not failed, and no run has; runs of the last seconds may not be listed yet',
  });
});

test('says of a build that continues that it has not ended', async () => {
  await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()) });
  const env = await altering(emulator, (_, path, json) =>
    path.includes('/builds')
      ? { body: JSON.stringify(json).replace(/"status":"\w+"/g, '"status":"initializing"') }
      : undefined,
  );
  const { stdout } = await gantry(['explain', 'web', 'latest'], { env });
  expect(stdout).toMatch(/^build \S+ of web has not ended: initializing\n$/);
});

test.each([
  [
    'starts',
    'initializing',
    'INFO:     Uvicorn running on http://0.0.0.0:9000 (Press CTRL+C to quit)\nINFO:     Application startup complete.',
    /^build \w+ of web has not ended: initializing; so far: the server listens on port 9000/,
  ],
  [
    'was canceled',
    'cancelled',
    'ERROR: No matching distribution found for torchh',
    /^build \w+ of web has not failed: canceled; its log shows: the package index has no torchh/,
  ],
  [
    'starts well',
    'initializing',
    'INFO:     Application startup complete.',
    /^build \w+ of web has not ended: initializing$/,
  ],
])('says of the latest build that %s what its log shows by then', async (_, status, log, title) => {
  const cwd = newFolder(smallApp('[cerebrium.runtime.custom]\nport = 8080\nentrypoint = ["python", "main.py"]\n'));
  await gantry(['deploy'], { emulator, cwd });
  const env = await altering(emulator, (_, path, json) => {
    if (path.includes('/logs')) return { body: { logs: log.split('\n').map((line) => ({ log: line })), status } };
    const body = JSON.stringify(json).replace(/"status":"\w+"/g, `"status":"${status}"`);
    return path.includes('/builds') ? { body } : undefined;
  });
  const { json } = await gantry(['explain', 'web', '--json'], { env, cwd });
  expect(json()).toMatchObject({ failed: false, title: expect.stringMatching(title) });
});

describe('a log of a file', () => {
  test('is explained without a platform', async () => {
    const folder = newFolder({
      'build.log': 'Collecting cv2\nERROR: No matching distribution found for cv2\n',
    });
    const { code, json } = await gantry(['explain', '--file', 'build.log', '--json'], { cwd: folder });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ app: null, failed: null, cause: 'package-not-found', evidence: { line: 2 } });
  });

  test('shows the line of the app with a syntax error, while it is there', async () => {
    const log = '  File "/cortex/tools/read.py", line 2\n    def read(:\n             ^\nSyntaxError: invalid syntax\n';
    const files = { ...smallApp(), 'tools/read.py': 'import os\ndef read(:\n', 'a.log': log };
    const app = newFolder(files);
    const shown = async () => (await gantry(['explain', '--file', 'a.log'], { cwd: app, env: machine() })).stdout;
    expect(await shown()).toMatch(/^cause: a source file has .*\n {2}in {2}tools\/read\.py:2:10\n/);
    writeFileSync(join(app, 'tools/read.py'), '');
    expect(await shown()).toMatch(/^cause: a source file has .*\n {2}why/);
  });

  test.each([[['--file', '-']], [['--file', 'build.log']], [['--file', './logs/build']]])(
    'comes from %j',
    async (words) => {
      const log = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'PIL'\n";
      const cwd = newFolder({ 'build.log': log, 'logs/build': log });
      const { stdout } = await gantry(['explain', ...words], { stdin: words.includes('-') ? log : '', cwd });
      expect(stdout).toContain('the Python module PIL is not installed');
      expect(stdout).toContain('pillow = "latest"');
    },
  );

  test('is refused if it is empty', async () => {
    const cwd = newFolder({ 'a.log': ' \n' });
    expect(await gantry(['explain', '--file', 'a.log'], { cwd })).toExit(2, 'a.log has no log: it is empty');
    expect(await gantry(['explain', '--file', '-'], { stdin: '' })).toExit(2, 'stdin has no log: it is empty');
  });

  test('of an unknown kind says so', async () => {
    const { stdout } = await gantry(['explain', '--file', '-'], {
      stdin: 'loading\nERROR: the flux is gone\n',
    });
    expect(stdout).toBe(
      'cause: no known cause matches; the last error is: ERROR: the flux is gone\n' +
        '  why from the log:\n      loading\n      ERROR: the flux is gone\n',
    );
  });

  test('of an unknown kind is shown to its end', async () => {
    const stdin = Array.from({ length: 40 }, (_, at) => `step ${at}`).join('\n');
    const { code, stdout, json } = await gantry(['explain', '--file', '-', '--json'], { stdin });
    expect([code, json()]).toMatchObject([0, { cause: 'unknown', evidence: null, fix: null }]);
    expect(stdout).toContain('step 39');
    expect(stdout).not.toContain('step 19"');
  });

  test('cannot be combined with an app', async () => {
    const { code, stderr } = await gantry(['explain', 'web', '--file', 'build.log']);
    expect([code, stderr]).toEqual([2, 'error: --file and an app cannot be combined\n']);
  });

  test('that is missing is an error', async () => {
    expect(await gantry(['explain', '--file', 'missing.log'])).toExit(6);
  });
});

test('needs an app', async () => {
  expect(await gantry(['explain'], { emulator, cwd: newFolder() })).toExit(2, 'no app in this folder');
});

test('explains the build or the run with an id, and says if there is none', async () => {
  const app = await failedApp('init_failure');
  const builds = (await gantry(['builds', 'list', 'web', '--json=id'], { emulator })).json() as { id: string }[];
  const build = builds[0]?.id ?? '';
  const { json } = await gantry(['explain', 'web', build, '--json=build,cause'], { emulator, cwd: app });
  expect(json()).toEqual({ build, cause: 'module-missing' });
  expect((await gantry(['explain', 'web', 'b-none'], { emulator })).code).toBe(6);
});

test('of a build, says which one and when it failed', async () => {
  const { stdout } = await gantry(['explain'], { emulator, cwd: await failedApp('build_failure') });
  expect(stdout).toMatch(/^ {2}build \S+, \d{4}-\d\d-\d\dT/m);
});

test('the latest is the call that failed after the build', async () => {
  await deployWeb(emulator);
  record(emulator, { id: 'r-odd', createdAt: Date.now() - 60_000, statusCode: 500 });
  expect((await gantry(['explain', 'web', 'latest', '--json=run'], { emulator })).json()).toEqual({ run: 'r-odd' });
});

test('of a folder whose files are only run, asks for nothing that a deploy wants', async () => {
  const toml = '[cerebrium.deployment]\nname = "jobs"\n';
  const app = newFolder({ 'cerebrium.toml': toml, 'job.py': 'def go():\n    return 1\n' });
  await gantry(['run', 'job.py::go'], { emulator, cwd: app });
  const { code, stdout } = await gantry(['explain'], { emulator, cwd: app });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^no run of jobs has failed/)]);
});

test.each([
  ['there is', 'r-told', ['half of the rows are gone'], 'gantry logs web --run r-told'],
  ['there is no', 'r-silent', [], undefined],
])('of an unknown kind, the command that shows the whole log follows if %s one', async (_, id, lines, command) => {
  await deployWeb(emulator);
  record(emulator, { id, createdAt: Date.now() - 60_000, statusCode: 500 });
  for (const line of lines) print(emulator, line, { run: id });
  const { json } = await gantry(['explain', 'web', id, '--json'], { emulator });
  const { cause, log, next } = json() as { cause: string; log: string[]; next?: { argv: string[] }[] };
  expect([cause, log, next?.[0]?.argv.join(' ')]).toEqual(['unknown', lines, command]);
});

test.each<[what: string, id: string, lines: string[], endedAgoMs: number, looks: (string | undefined)[]]>([
  ['once', 'r-old', ['half of the rows are gone'], 60_000, ['r-old']],
  ['once, and then that of its replica, where it has no lines', 'r-mute', [], 60_000, ['r-mute', undefined]],
  ['until it is complete, where it has just ended', 'r-new', ['half'], 1_000, ['r-new', 'r-new']],
])('the log of a failed run is read %s', async (_, id, lines, endedAgoMs, looks) => {
  await deployWeb(emulator);
  record(emulator, { id, createdAt: Date.now() - endedAgoMs, statusCode: 500 });
  for (const line of lines) print(emulator, line, { run: id });
  emulator.calls.length = 0;
  expect((await gantry(['explain', 'web', id], { emulator })).code).toBe(0);
  const asked = emulator.calls.filter(({ endpoint }) => endpoint === 'getAppLogs').map(({ query }) => query.runId);
  expect(asked.slice(0, looks.length)).toEqual(looks);
  if (endedAgoMs > 10_000) expect(asked).toHaveLength(looks.length);
});

test('on a terminal, the command to explain a failed build follows what is shown of it', async () => {
  await failedApp('build_failure');
  const order: string[] = [];
  const seen = (_: string, stderr: string) => order.push(stderr.includes('to see why') ? 'next' : 'result');
  const { stderr } = await gantry(['builds', 'get', 'web'], { emulator, columns: [80, 40], seen });
  expect([order, stderr]).toEqual([['result', 'next'], expect.stringContaining('to see why it failed')]);
});

test('a saved log that ends well shows no failure', async () => {
  const stdin =
    'W tensorflow/dso.cc:64] Could not load libcuda.so.1\nINFO: 10.0.0.1:1 - "GET /health HTTP/1.1" 200 OK\n';
  const { json } = await gantry(['explain', '--file', '-', '--json=cause,title'], { stdin });
  expect(json()).toEqual({ cause: null, title: 'the log shows no failure: the app goes on answering' });
});
