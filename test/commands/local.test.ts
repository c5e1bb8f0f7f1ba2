import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rememberFolderTarget } from '../../src/platform/config/folder-target.ts';
import { python } from '../emulator/support/running.ts';
import {
  expectErrorDocument,
  gantry,
  jsonLines,
  keys,
  machine,
  newFolder,
  type Setting,
  startsHere,
} from '../support/index.ts';

let home: string;
let stop: AbortController;

beforeEach(() => {
  home = realpathSync(newFolder());
  stop = new AbortController();
});

afterEach(async () => {
  await run('emulator stop', { cwd: join(home, 'my-app') });
  stop.abort();
});

const run = (line: string, { env, ...setting }: Setting = {}) => {
  const own = { GANTRY_CONFIG_DIR: join(home, '.settings') };
  const io = startsHere({ cwd: setting.cwd ?? home, env: machine(own) }, stop.signal);
  // The clock of a command leaps; that of the emulator does not, and it is late.
  const meanwhile = () => setTimeout(20);
  return gantry(line.split(' '), { cwd: home, io, meanwhile, ...setting, env: { ...own, ...env } });
};

describe('gantry deploy --local', () => {
  test('starts nothing in a folder without an app', async () => {
    const { code, behind, stderr } = await run('deploy --local');
    expect([code, behind, stderr]).toEqual([10, [], expect.stringMatching(/^error: cerebrium.toml not found\n/)]);
    expect(stderr).toMatch(/^ {2}fix gantry init --local$/m);
  });

  test('is a first walk without an account and without variables', async () => {
    expect((await run('init my-app')).code).toBe(0);
    const cwd = join(home, 'my-app');
    const files = readdirSync(cwd);
    const deployed = await run('deploy --local', { cwd });
    expect(deployed).toMatchObject({ code: 0, behind: [expect.arrayContaining(['emulator', 'start', '--no-seed'])] });
    expect(deployed.stderr).toMatch(
      /^project p-12345678 \(emulator of this folder\)\nstarted the emulator of this folder; .*\n/,
    );
    expect(deployed.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\S+\n$/);
    expect(readdirSync(cwd)).toEqual(files);

    // Nothing is lost there, and nobody pays: nothing is asked.
    const type = keys((press) => press('n'));
    expect((await run('deploy --local', { cwd, columns: 100, stdin: type })).code).toBe(0);

    const invoked = await run('invoke . name=Ada', { cwd });
    expect(invoked).toMatchObject({ code: 0, behind: [] });
    expect(invoked.stderr).toMatch(/^project p-12345678 \(emulator of this folder\)\n/);
    expect((await run('logs', { cwd })).code).toBe(0);
    // The list of runs shows one late, and what is offered is kept for a while.
    await expect.poll(async () => (await run('runs list --json=id', { cwd })).stdout).toMatch(/[\da-f-]{36}/);
    for (const [typed, offered] of Object.entries({ 'logs ': /^my-app\t/, 'runs get ': /^[\da-f-]{36}\t/ })) {
      await run(`complete --refresh ${typed}`, { cwd });
      expect((await run(`complete -- ${typed}`, { cwd })).stdout).toMatch(offered);
    }
    // The variables of the emulator are nobody's token.
    expect((await run('logout --json', { cwd })).json()).toEqual({ profiles: [], stillUsed: null });
    expect((await run('whoami --json', { cwd })).json()).toMatchObject({
      target: 'p-12345678 (emulator of this folder)',
      projectOrigin: `folder (${cwd})`,
      platformOrigin: `folder (${cwd})`,
      tokenOrigin: 'emulator of this folder',
    });
    const again = await run('deploy', { cwd });
    expect([again.code, again.behind]).toEqual([0, []]);

    // What it had is there again, at the same port.
    const { stdout: stopped } = await run('emulator stop', { cwd });
    // That of another folder is not meant.
    for (const command of ['stop', 'env']) {
      const { code, stderr } = await run(`emulator ${command}`, { cwd });
      expect([code, stderr]).toEqual([
        6,
        'error: the emulator of this folder is not running\n  fix gantry emulator list\n',
      ]);
    }
    const restarted = await run('apps list --json=name', { cwd });
    expect(restarted).toMatchObject({
      code: 0,
      behind: [expect.arrayContaining(['--port', /\d+/.exec(stopped)?.[0]])],
    });
    expect(restarted.json()).toEqual([{ name: 'my-app' }]);
    expect(restarted.stderr).toBe('started the emulator of this folder; gantry emulator stop ends it\n');

    // Another target, typed or in the environment, is used and named.
    expect((await run('config get target -p p-1', { cwd })).stdout).toBe('p-1 (rest.cerebrium.ai)\n');
    const env = { GANTRY_TOKEN: 'opaque', GANTRY_PROJECT: 'p-1' };
    const elsewhere = await run('deploy --json', { cwd, env });
    expect(elsewhere).toMatchObject({ code: 7, behind: [] });
    expect(elsewhere.stderr).toContain('for p-12345678 (emulator of this folder), type gantry deploy --json --local');
    expectErrorDocument(elsewhere);
    expect((await run('deploy --json --local', { cwd, env })).code).toBe(0);
  });

  test('is no emulator of another folder that has its port by now', async () => {
    const cwd = join(home, 'my-app');
    await run('init my-app');
    await run('deploy --local', { cwd });
    const { port } = (await run('emulator stop --json', { cwd })).json() as { port: number };
    const other = join(home, 'other');
    mkdirSync(other);
    const quit = new AbortController();
    const started = run(`emulator start --no-seed --port ${port}`, { cwd: other, stop: quit.signal });
    const running = async () => (await run('emulator list --json=folder')).json();
    await expect.poll(running).toEqual([{ folder: other }]);
    for (const line of ['emulator stop --local', 'emulator stop', 'emulator env']) {
      expect(await run(line, { cwd })).toExit(6, 'the emulator of this folder is not running', 'gantry emulator list');
    }
    const reads = await run('apps list --local', {
      cwd,
      io: { ...startsHere({ cwd, env: {} }, stop.signal), isForModel: true },
    });
    expect(reads).toExit(6, 'the emulator of this folder is not running');
    expect(await running()).toEqual([{ folder: other }]);
    quit.abort();
    await started;
  });

  test('asks nothing, whatever is new', async () => {
    const cwd = join(home, 'my-app');
    await run('init my-app');
    const config = readFileSync(join(cwd, 'cerebrium.toml'), 'utf8');
    const terminal = { cwd, stdin: keys(() => {}) };
    expect((await run('deploy --local', terminal)).code).toBe(0);
    writeFileSync(join(cwd, 'cerebrium.toml'), config.replace('my-app', 'other'));
    expect(await run('deploy', terminal)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('?') });
    writeFileSync(join(cwd, 'cerebrium.toml'), config.replace('my-app', 'third'));
    expect((await run('deploy --json', { cwd })).code).toBe(0);
  });

  test.runIf(python)('is the platform of gantry dev in the folder, with the same data', async () => {
    const cwd = join(home, 'my-app');
    await run('init my-app');
    writeFileSync(join(cwd, 'main.py'), 'def run():\n    return 1\n');
    await run('deploy --local', { cwd });
    expect(await run('invoke my-app run', { cwd })).toMatchObject({ code: 0 });
    await run('cp main.py :kept.py', { cwd });
    const quit = new AbortController();
    const said: string[] = [];
    const dev = run('dev --port 0', { cwd, stop: quit.signal, seen: (_, stderr) => said.push(stderr) });
    await expect.poll(() => said.at(-1)).toContain('is ready in');
    expect(said.at(-1)).toContain('stopped the emulator of this folder');
    const [files, call] = [await run('ls --local', { cwd }), await run('invoke my-app run --local', { cwd })];
    expect([files.behind, files.stdout, call.code]).toEqual([[], expect.stringContaining('kept.py'), 0]);
    const second = await run('dev --port 0', { cwd });
    expect(second).toMatchObject({ code: 7, stderr: expect.stringContaining('gantry dev runs in this folder') });
    quit.abort();
    await dev;
    // What is new shows late there.
    const runs = async () => (await run('runs list my-app --local --json=id', { cwd })).json();
    await expect.poll(runs).toHaveLength(2);
  });

  test.runIf(python)('has what dev deployed on record, and returns to a deploy before it', async () => {
    const cwd = join(home, 'my-app');
    await run('init my-app');
    const write = (value: number) => writeFileSync(join(cwd, 'main.py'), `def run():\n    return ${value}\n`);
    write(1);
    const first = (await run('deploy --local --json', { cwd })).json() as { build: string };
    write(2);
    const quit = new AbortController();
    const said: string[] = [];
    const dev = run('dev', { cwd, stop: quit.signal, seen: (_, stderr) => said.push(stderr) });
    await expect.poll(() => said.at(-1)).toContain('is ready in');
    quit.abort();
    await dev;
    const { code, stderr, json } = await run('rollback my-app --local --yes --json', { cwd });
    expect(code, stderr).toBe(0);
    expect(json()).toMatchObject({ restored: first.build, source: 'archive' });
  });

  test('is -p local in every command, and needs no app', async () => {
    mkdirSync(join(home, 'my-app'));
    const cwd = join(home, 'my-app');
    expect(await run('whoami --local', { cwd })).toExit(6, 'gantry deploy --local');
    expect((await run('apps list -p local --json', { cwd })).json()).toEqual([]);
    expect((await run('apps list --local --json', { cwd })).behind).toEqual([]);
    expect((await run('config get target --local', { cwd })).stdout).toBe('p-12345678 (emulator of this folder)\n');
    expect((await run('config get target', { cwd })).stdout).toBe('no project (rest.cerebrium.ai)\n');
  });

  test('is GANTRY_PROJECT=local too', async () => {
    mkdirSync(join(home, 'my-app'));
    const here = { cwd: join(home, 'my-app'), env: { GANTRY_PROJECT: 'local' } };
    expect((await run('apps list --json', here)).json()).toEqual([]);
    expect((await run('config get target', here)).stdout).toBe('p-12345678 (emulator of this folder)\n');
    expect((await run('apps list -p p-1 --json', here)).code).toBe(4);
    expect(await run('apps list --profile x', here)).toExit(2, 'GANTRY_PROJECT=local) and --profile x');
  });

  test.each(['-p p-1 --local', '--profile x --local', '--profile x -p local'])('is refused with %s', async (flags) => {
    mkdirSync(join(home, 'my-app'));
    expect((await run(`apps list ${flags}`)).code).toBe(2);
  });
});

test('emulator start --local starts the emulator of the folder in the background, which installs packages', async () => {
  await run('init my-app');
  const cwd = join(home, 'my-app');
  const refused = await run('emulator start --local --port 4200', { cwd });
  expect([refused.behind, refused.code]).toEqual([[], 2]);
  const started = await run('emulator start --local --install --json', { cwd });
  expect(started).toMatchObject({ code: 0, behind: [expect.arrayContaining(['emulator', 'start', '--no-seed'])] });
  const [ready] = jsonLines(started.stdout);
  expect((await run('emulator env --json=url,environment', { cwd })).json()).toMatchObject({
    url: ready.url,
    environment: ready.environment,
  });
  // Nobody would read it if no packages were installed.
  writeFileSync(join(cwd, 'odd-1.0-py3-none-any.whl'), 'no archive');
  writeFileSync(join(cwd, 'requirements.txt'), './odd-1.0-py3-none-any.whl\n');
  expect(await run('deploy --local', { cwd })).toExit(11, 'PIP_INSTALL_STARTED');
});

test('what to do next is to install the packages of the app, where nothing did', async () => {
  await run('init my-app');
  const cwd = join(home, 'my-app');
  writeFileSync(join(cwd, 'main.py'), 'import nobody_has_this\n');
  writeFileSync(
    join(cwd, 'cerebrium.toml'),
    '[cerebrium.deployment]\nname = "my-app"\n[cerebrium.dependencies.pip]\nnobody_has_this = "latest"\n',
  );
  const { code, json } = await run('deploy --local --json', { cwd });
  expect([code, json()]).toMatchObject([
    12,
    { error: { next: ['gantry', 'deploy', '--install', '--local', '--json'] } },
  ]);
});

test('a dry run ends the emulator that it has started, and no other one', async () => {
  await run('init my-app');
  const cwd = join(home, 'my-app');
  const listed = async () => (await run('emulator list --json=folder')).json();
  const dry = await run('deploy --local --dry-run', { cwd });
  expect(dry).toMatchObject({ code: 0, behind: [expect.arrayContaining(['emulator', 'start'])] });
  expect(dry.stderr).toContain('started the emulator of this folder until the end of this command\n');
  expect(await listed()).toEqual([]);
  await run('deploy --local', { cwd });
  expect(await run('secrets unset NONE --dry-run', { cwd })).toMatchObject({ code: 0, behind: [] });
  expect(await listed()).toEqual([{ folder: cwd }]);
});

test('a dry run that is interrupted ends it as well', async () => {
  await run('init my-app');
  const cwd = join(home, 'my-app');
  const dry = await run('deploy --local --dry-run', { cwd, stop: /started the emulator of this folder/ });
  expect(dry).toMatchObject({ code: 130, behind: [expect.arrayContaining(['emulator', 'start'])] });
  expect((await run('emulator list --json=folder')).json()).toEqual([]);
});

test.each(['emulator stop', 'emulator stop --local'])('%s needs no settings', async (line) => {
  await run('init my-app');
  const cwd = join(home, 'my-app');
  await run('deploy --local', { cwd });
  writeFileSync(join(home, '.settings/config.json'), '{"profiles": ');
  const { code, stdout } = await run(line, { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining('stopped the emulator on port')]);
});

test('a folder remembers where its app is, if the first deploy fails', async () => {
  await run('init my-app');
  const cwd = join(home, 'my-app');
  writeFileSync(join(cwd, 'main.py'), 'raise ValueError("broken")\n');
  expect((await run('deploy --local', { cwd })).code).toBe(12);
  expect((await run('explain', { cwd })).stdout).toContain('broken');
  // The emulator may be told to install packages: the platform does anyway.
  expect(await run('deploy --install', { cwd, env: { PATH: '' } })).toMatchObject({ code: 12 });
  const plan = await run('deploy --local --install --dry-run --json=dryRun', { cwd });
  expect([plan.code, plan.json()]).toEqual([0, { dryRun: true }]);
  const elsewhere = await run('deploy --install -p p-1', { cwd, env: { GANTRY_TOKEN: 'x' } });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('--install is for an emulator')]);
});

test('a folder with an emulator changes no profile for it', async () => {
  const cwd = join(home, 'my-app');
  mkdirSync(cwd);
  const flags = ['--local'];
  const last = {
    app: 'my-app',
    project: 'p-12345678',
    platform: 'emulator',
    address: 'http://127.0.0.1:1',
    flags,
  };
  await rememberFolderTarget({ state: join(home, '.settings/state') }, cwd, last);
  await run('config set project p-87654321 --profile work');
  await run('config profiles use work');
  const chosen = await run('projects use p-12345678', { cwd });
  expect(chosen).toMatchObject({ code: 4, behind: [], stderr: expect.not.stringContaining('not running') });
  const set = await run('config set region eu-north-1', { cwd });
  expect(set.stderr).toContain(
    'this folder uses the emulator that it was deployed to; gantry config profiles use work',
  );
  for (const line of ['config set project p-1', 'config unset project', 'projects use p-1', 'login', 'logout']) {
    expect(await run(`${line} --local`, { cwd })).toMatchObject({ code: 2, stdout: '', behind: [] });
  }
  expect((await run('config get project')).stdout).toBe('p-87654321\n');
});
