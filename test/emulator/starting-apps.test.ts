import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { withDefaults } from '../../src/emulator/model/apps/settings.ts';
import { buildDifferences } from '../../src/emulator/model/builds/script.ts';
import { half } from '../support/extent.ts';
import { newFolder, platform, speaking } from './support/platform.ts';
import { children, python, running, serverOf } from './support/running.ts';
import { zip } from './support/zip.ts';

const custom = (file: string, more: object = {}) => ({
  runtime: 'custom',
  entrypoint: ['python', file, '--port', '8194'],
  port: 8194,
  ...more,
});

const server = serverOf(
  `
    def do_GET(self):
        self.answer("version 1", 200 if self.path != "/ready" else 503)
`,
  'int(sys.argv[-1])',
);

/** As gunicorn does whose workers cannot import the app. */
const opening = `import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[-1])))
time.sleep(1)
raise SystemExit("Worker failed to boot.")
`;

/** What a process listens on is known on Linux only. */
const found = process.platform === 'linux' ? '; the app listens on port \\d+' : '';

type Failure = [what: string, settings: object, files: Record<string, string>, status: string, reason: RegExp];

/** What only the program that mounts volumes says in the words of container engines. */
const launched: Failure[] =
  process.platform === 'linux'
    ? [
        [
          'has a script that may not be executed',
          { runtime: 'custom', entrypoint: ['./start.sh'] },
          { 'start.sh': '#!/bin/sh\n' },
          'init_failure',
          /^its process ended with exit code 126\nexec \.\/start\.sh: permission denied$/,
        ],
      ]
    : [];

const failures: Failure[] = [
  [
    'has a syntax error',
    {},
    { 'main.py': 'def run(:\n    pass\n' },
    'init_failure',
    /^ {2}File "main\.py", line 1\n {4}def run\(:\n[\s^]+\nSyntaxError: invalid syntax$/,
  ],
  [
    'imports a missing module',
    {},
    { 'main.py': '"""Doc."""\nimport nothing_like_this.deep\n' },
    'init_failure',
    /^Traceback \(most recent call last\):\n {2}File "main\.py", line 2, in <module>\n {4}import nothing_like_this\.deep\nModuleNotFoundError: No module named 'nothing_like_this'\nhint: .*--install/,
  ],
  [
    'raises in another file of its own',
    {},
    { 'main.py': 'from lib import weights\n', 'lib/__init__.py': '', 'lib/weights.py': 'open("weights.bin")\n' },
    'init_failure',
    /File "main\.py", line 1, in <module>\n[\s\S]*File "lib\/weights\.py", line 1, in <module>\n[\s\S]*FileNotFoundError: .*weights\.bin'$/,
  ],
  [
    'ends its process',
    {},
    { 'main.py': 'import os\nos._exit(3)\n' },
    'init_failure',
    /^its process ended with exit code 3$/,
  ],
  [
    'calls sys.exit',
    {},
    { 'main.py': 'raise SystemExit("no GPU here")\n' },
    'init_failure',
    /SystemExit: no GPU here$/,
  ],
  [
    'takes longer than its timeout',
    { deploymentInitializationTimeout: 1 },
    { 'main.py': 'import time\nprint("loading", flush=True)\ntime.sleep(60)\n' },
    'init_timeout',
    /^it was not ready within 1 seconds(\nloading)?$/,
  ],
  [
    'has an entrypoint that does not exist',
    { runtime: 'custom', entrypoint: ['no-such-server', 'app:app'] },
    { 'app.py': '' },
    'init_failure',
    /^its entrypoint failed to start: no-such-server not found\nhint: .*--install/,
  ],
  [
    'has a script that starts what does not exist',
    { runtime: 'custom', entrypoint: ['sh', 'start.sh'] },
    { 'start.sh': 'no-such-server\n' },
    'init_failure',
    /^its process ended with exit code 127\n.*no-such-server: .*not found$/,
  ],
  ...launched,
  [
    'has no entrypoint',
    { runtime: 'custom', entrypoint: [] },
    { 'app.py': '' },
    'init_failure',
    /^its process ended with exit code 1\nno command specified: /,
  ],
  [
    'has a server that fails',
    custom('app.py'),
    { 'app.py': 'print("starting")\ndef start():\n    raise OSError("no disk")\nstart()\n' },
    'init_failure',
    /^its process ended with exit code 1\nTraceback[^\n]*\n {2}File "app\.py", line 4, in <module>\n {4}start\(\)\n {2}File "app\.py", line 3, in start\n[\s\S]*\nOSError: no disk$/,
  ],
  [
    'has a server that ends without an error',
    custom('app.py'),
    { 'app.py': 'print("nothing to do")\n' },
    'init_failure',
    /^its process ended with exit code 0\nnothing to do$/,
  ],
  [
    'has a server that opens its port, and ends before it answers',
    custom('app.py'),
    { 'app.py': opening },
    'init_failure',
    /^its process ended with exit code 1\nWorker failed to boot\.$/,
  ],
  [
    'has a server that listens on no port',
    custom('app.py', { deploymentInitializationTimeout: 1 }),
    { 'app.py': 'import time\ntime.sleep(60)\n' },
    'init_timeout',
    /^it was not ready within 1 seconds: nothing listens on port 8194$/,
  ],
  [
    'has a server that never listens, although it has a check',
    custom('app.py', { deploymentInitializationTimeout: 1, healthcheckEndpoint: '/health' }),
    { 'app.py': 'import time\ntime.sleep(60)\n' },
    'init_timeout',
    /^it was not ready within 1 seconds: nothing listens on port 8194$/,
  ],
  [
    'has a server that listens on another port',
    custom('app.py', { deploymentInitializationTimeout: 1 }),
    { 'app.py': 'import socket, time\nserver = socket.create_server(("127.0.0.1", 0))\ntime.sleep(60)\n' },
    'init_timeout',
    new RegExp(`^it was not ready within 1 seconds: nothing listens on port 8194${found}$`),
  ],
  [
    'has a server that never says it is ready',
    custom('app.py', { deploymentInitializationTimeout: 1, readycheckEndpoint: '/ready' }),
    { 'app.py': server },
    'init_timeout',
    /^it was not ready within 1 seconds: GET \/ready on port 8194 did not succeed \(HTTP 503\)/,
  ],
];

describe.skipIf(!python)('a build starts the app (needs python3)', () => {
  test.each(half(failures))('and fails if it %s', async (_, settings, files, status, reason) => {
    const { ask, deploy, logOf } = await platform({ real: true });
    const { path, build } = await deploy(settings, files);
    const { json } = await ask('GET', build);
    expect([json.status, json.initError]).toEqual([status, expect.stringMatching(reason)]);
    const log = await logOf(build);
    expect(log.at(-1)).toMatch(/^ERROR: /);
    // Where the emulator has unpacked it is not the user's place.
    expect(log.join('\n')).not.toMatch(/gantry-emulator-|cortex\.py/);
    expect((await ask('GET', path)).json).toMatchObject({ status: 'error', latestReadyBuildId: '' });
    expect(children()).toEqual([]);
  });

  test('and keeps the files of earlier ones while a call of them runs, then of one only', async () => {
    const { deploy, call } = await running();
    const main = 'import os, time\ndef run():\n    return os.getcwd()\ndef wait():\n';
    const waits = `${main}    while not os.path.exists("go"): time.sleep(0.01)\n`;
    const version = async () => (await deploy({ name: 'functions' }, { 'main.py': waits })).id;
    const first = await version();
    const folder: string = (await call('run')).json.result;
    const second = await version();
    const waiting = call('wait');
    await expect.poll(() => readdirSync(dirname(folder))).toEqual([second]);
    const third = await version();
    expect((await call('run')).json.result).toBe(folder.replace(first, third));
    writeFileSync(join(dirname(folder), second, 'go'), '');
    expect((await waiting).status).toBe(200);
    await expect.poll(() => readdirSync(dirname(folder))).toEqual([third]);
  });

  test('and its replica serves the first call: nothing is loaded twice', async () => {
    const loads = 'print("loaded")\ndef run():\n    return "new"\n';
    const { call, printed, logOf, runs, build } = await running('functions', {}, { files: { 'main.py': loads } });
    expect(await logOf(build)).toEqual(expect.arrayContaining(['Loading main.py', 'loaded', 'App is ready']));
    expect((await call('run')).json.result).toBe('new');
    expect((await printed()).filter((line) => line === 'loaded')).toHaveLength(1);
    expect((await runs())[0].coldstartTimeMs).toBe(0);
  });

  test('and stops starting it when the build is canceled', async () => {
    const { ask, put, emulator } = await platform({ real: true });
    const { json: created } = await ask('POST', '/apps', { name: 'web' });
    await put(created.uploadUrl, zip({ 'main.py': 'print("begun", flush=True)\nimport time\ntime.sleep(60)\n' }));
    const build = `/apps/${emulator.project}-web/builds/${created.buildId}`;
    await expect.poll(async () => (await ask('GET', `${build}/logs`)).text).toContain('begun');
    expect(children()).toHaveLength(1);
    expect((await ask('DELETE', build)).status).toBe(200);
    expect((await ask('GET', build)).json.status).toBe('cancelled');
    await expect.poll(children).toEqual([]);
    expect((await ask('GET', build)).json.status).toBe('cancelled');
  });

  test('and one that the emulator did not finish has failed after a restart', async () => {
    const data = newFolder();
    const first = await startEmulator({ data });
    const { ask, put } = speaking(first);
    const { json: created } = await ask('POST', '/apps', { name: 'web' });
    await put(created.uploadUrl, zip({ 'main.py': 'import time\ntime.sleep(60)\n' }));
    await first.close();
    expect(children()).toEqual([]);
    const { emulator, ask: askAgain } = await platform({ data, now: Date.now });
    const { json } = await askAgain('GET', `/apps/${emulator.project}-web/builds/${created.buildId}`);
    expect(json).toMatchObject({ status: 'failure', initError: 'the emulator was stopped during this build' });
  });

  test('and says that a missing function is not there without listing what main.py imports', async () => {
    const main = 'from typing import Optional\nfrom json import dumps as to_text\ndef run():\n    return 1\n';
    const { call } = await running('functions', {}, { files: { 'main.py': main } });
    expect((await call('rnu')).json.message).toMatch(/available functions: run$/);
  });
});

test.each([
  [false, undefined, ['apt', 'conda', 'pip']],
  [true, undefined, ['apt', 'conda']],
  [false, './Dockerfile', []],
])('packages that are not installed are a difference: with pip %s, from %s', (installs, dockerfilePath, expected) => {
  const settings = withDefaults({ name: 'web', compute: ['CPU'], ...(dockerfilePath && { dockerfilePath }) });
  const files = ['pkglist.txt', 'conda_pkglist.txt', 'requirements.txt'];
  const archive = { files: new Map(), contents: new Map(files.map((path) => [path, Buffer.from('x\n')])) };
  const said = buildDifferences({ settings, archive, plan: { installs, obstacle: undefined } });
  expect(said.map((text) => /install (\w+) packages/.exec(text)?.[1])).toEqual(expected);
});
