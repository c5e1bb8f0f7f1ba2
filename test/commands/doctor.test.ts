import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emulatorForAll } from '../support/emulators.ts';
import { newFolder } from '../support/files.ts';
import { gantry, type Outcome, type Setting } from '../support/gantry.ts';
import { homeless } from '../support/homeless.ts';
import { serving } from '../support/listening.ts';
import { expectNoTrace } from '../support/traces.ts';
import { widthOf } from '../support/width.ts';

interface Found {
  check: string;
  status: string;
  message: string;
  fix?: string;
  code?: string;
}

const emulator = emulatorForAll();

function doctor(setting: Setting & { flags?: string[] } = {}): Promise<Outcome> {
  const env = { GANTRY_LOGS_URL: emulator.url, ...setting.env };
  return gantry(['doctor', ...(setting.flags ?? [])], { emulator, ...setting, env });
}

async function found(setting: Parameters<typeof doctor>[0] = {}) {
  const outcome = await doctor({ ...setting, flags: ['--json', ...(setting.flags ?? [])] });
  const checks = outcome.json() as Found[];
  expectNoTrace(outcome, emulator);
  return { ...outcome, checks, of: (name: string) => checks.find(({ check }) => check === name) };
}

test('reports each check and exits with 0 if all succeed', async () => {
  const env = { GANTRY_CONFIG_DIR: join(newFolder(), 'new'), NO_COLOR: '1' };
  const outcome = await doctor({ columns: 200, env });
  expect(outcome.code).toBe(0);
  expect(outcome.stdout.split('\n').map((line) => line.split(/ +/).slice(0, 2).join(' '))).toEqual([
    ...['✓ node', '✓ settings', '✓ files', '✓ proxy', '✓ version', '✓ token', '✓ project', '✓ clock'],
    ...['✓ management', '✓ invocation', '✓ login', '✓ refresh', '✓ logs', '✓ status', ''],
  ]);
  expect(outcome.stdout).toMatch(/^✓ +proxy +none$/m);
  expect(outcome.stdout).toMatch(/token +from the environment \(GANTRY_TOKEN\), expires 20\d\d-/);
  expectNoTrace(outcome, emulator);
});

test('wraps lines on a terminal, and uses words if it has no symbols', async () => {
  const env = { NO_COLOR: '1', LANG: 'C', GANTRY_PROJECT: 'p-none' };
  const { stdout } = await doctor({ columns: 60, env });
  expect(Math.max(...stdout.split('\n').map(widthOf))).toBeLessThanOrEqual(60);
  expect(stdout).toMatch(/^ok {2}node/m);
  expect(stdout).toMatch(/^x {3}project/m);
  expect(stdout).not.toMatch(/[✓✗]/);
});

test('tells of a variable once, for however many settings it is read', async () => {
  const { code, checks } = await found({ env: { GANTRY_API_URL: 'nonsense', GANTRY_INFERENCE_URL: 'nonsense' } });
  const rows = checks.filter(({ check }) => check === 'settings').map((check) => JSON.stringify(check));
  expect([code, rows.length, new Set(rows).size]).toEqual([2, 2, 2]);
});

test('runs every check without retries if all fail, and exits with the code of the first failure', async () => {
  const place = homeless();
  for (const env of place.environments) {
    const dead = 'http://127.0.0.1:1';
    const { code, checks, of, stderr, waits } = await found({
      cwd: place.cwd,
      env: {
        ...env,
        GANTRY_TOKEN: '',
        GANTRY_PROJECT: '',
        GANTRY_API_URL: dead,
        GANTRY_INFERENCE_URL: dead,
        GANTRY_LOGS_URL: dead,
      },
    });
    expect(code).toBe(4);
    expect(checks).toHaveLength(16);
    expect(of('files')).toMatchObject({ status: 'warning', message: expect.stringContaining('is not writable') });
    expect(of('token')).toMatchObject({ status: 'failed', code: 'auth' });
    expect(of('management')).toMatchObject({ status: 'failed', code: 'unavailable', fix: expect.any(String) });
    expect(of('status')).toMatchObject({ status: 'warning' });
    expect(stderr).toMatch(/^\d+ of 16 checks failed: .*management.*; \d+ of 16 checks warned: files, .*status/);
    expect(stderr).not.toContain('trying again');
    expect(waits).toEqual([]);
  }
  expect(await place.left()).toEqual([]);
});

describe('doctor finds', () => {
  test('an invalid config.json, and continues with the other checks', async () => {
    const { code, of } = await found({ env: { GANTRY_CONFIG_DIR: newFolder({ 'config.json': '{ "profiles"' }) } });
    expect(code).toBe(1);
    expect(of('settings')).toMatchObject({ status: 'failed', message: expect.stringContaining('not valid JSON') });
    expect(of('project')).toMatchObject({ status: 'ok' });
  });

  test.skipIf(process.platform === 'win32')(
    'a FIFO in place of config.json, without waiting for a writer',
    async () => {
      const folder = newFolder({ 'main.py': '' });
      execFileSync('mkfifo', [join(folder, 'config.json')]);
      const { of } = await found({ env: { GANTRY_CONFIG_DIR: folder } });
      expect(of('settings')).toMatchObject({ status: 'warning', message: expect.stringContaining('config.json') });
    },
  );

  test('settings that gantry itself has written are fine', async () => {
    const folder = newFolder({ 'x/y': '' });
    const env = { GANTRY_CONFIG_DIR: folder };
    for (const words of [
      ['config', 'set', 'region', 'us-east-1'],
      ['config', 'profiles', 'use', 'default', '--here'],
    ]) {
      expect((await gantry(words, { env, cwd: folder })).code).toBe(0);
    }
    const { of } = await found({ env });
    expect(of('settings')?.message).toMatch(
      /profile default \(.+\), project p-12345678 \(GANTRY_PROJECT\), region us-east-1 \(profile/,
    );
  });

  test('an invalid URL, and checks the others', async () => {
    const { code, of, checks } = await found({ env: { GANTRY_INFERENCE_URL: 'http://example.com' } });
    expect(code).toBe(2);
    expect(of('settings')).toMatchObject({ status: 'failed', fix: 'use https://example.com' });
    expect(checks.map(({ check }) => check)).not.toContain('invocation');
    expect(of('management')).toMatchObject({ status: 'ok' });
  });

  test('settings that others can write, and a token that others could read', async () => {
    const folder = newFolder({
      'config.json': '{}',
      'credentials.json': JSON.stringify({ profiles: { default: { token: emulator.token } } }),
    });
    chmodSync(join(folder, 'config.json'), 0o666);
    chmodSync(join(folder, 'credentials.json'), 0o644);
    const { checks } = await found({ env: { GANTRY_CONFIG_DIR: folder } });
    const said = checks.filter(({ check }) => check === 'files');
    expect(said).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/credentials\.json was readable by other users/) },
      {
        status: 'warning',
        message: expect.stringMatching(/other users can write/),
        fix: expect.stringMatching(/^chmod go-w/),
      },
    ]);
  });

  test.each([
    ['no token', () => '', 'auth', 'not logged in'],
    ['an expired token', () => emulator.issueToken({ exp: 1 }), 'auth', 'expired'],
    ['a token that the platform rejects', () => 'nonsense', 'auth', 'malformed'],
    ['an invalid token', () => 'a b\nc', 'auth', 'the token is not valid'],
  ])('%s', async (_, token, code, said) => {
    const outcome = await found({ env: { GANTRY_TOKEN: token() } });
    expect(outcome.code).toBe(4);
    expect(outcome.of('token')).toMatchObject({ status: 'failed', code, message: expect.stringContaining(said) });
    expect(outcome.of('project')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/not checked: (requires a token|the token is not accepted)$/),
    });
  });

  test('a token that ends soon', async () => {
    const exp = Math.floor(Date.now() / 1000) + 86_400;
    const { code, of } = await found({ env: { GANTRY_TOKEN: emulator.issueToken({ exp }) } });
    expect(code).toBe(0);
    expect(of('token')).toMatchObject({ status: 'warning', fix: expect.stringContaining('create a new one') });
  });

  test('a project that the token has no access to', async () => {
    const { code, of } = await found({ flags: ['--project', 'p-none'] });
    expect(code).toBe(5);
    expect(of('project')).toMatchObject({ status: 'failed', fix: expect.stringContaining('projects use p-12345678') });
  });

  test('that no project is selected', async () => {
    const env = { GANTRY_PROJECT: '', GANTRY_TOKEN: emulator.issueToken({ project_id: '' }) };
    const { code, of } = await found({ env });
    expect(code).toBe(2);
    expect(of('project')).toMatchObject({ status: 'failed', message: 'no project selected' });
  });

  test('an unknown profile', async () => {
    const { code, of } = await found({ env: { GANTRY_PROFILE: 'nobody', GANTRY_TOKEN: '' } });
    expect(code).toBe(2);
    expect(of('token')).toMatchObject({ message: expect.stringContaining('profile "nobody" not found') });
  });

  test('the proxy in use, without its password, and that it refuses connections', async () => {
    const proxy = 'http://ada:secret@127.0.0.1:1';
    const { code, of, stdout } = await found({
      env: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: 'internal', GANTRY_API_URL: 'https://platform.test' },
    });
    expect(code).toBe(69);
    expect(of('proxy')?.message).toBe('https via http://127.0.0.1:1, http via http://127.0.0.1:1, except internal');
    expect(of('management')?.message).toContain('the proxy 127.0.0.1:1 (HTTPS_PROXY)');
    expect(of('management')?.fix).toContain('check HTTPS_PROXY');
    expect(stdout).not.toMatch(/ada|secret/);
  });

  test('an invalid proxy URL', async () => {
    const { code, of, stdout } = await found({ env: { HTTPS_PROXY: 'socks://ada:secret@host' } });
    expect(code).toBe(2);
    expect(of('settings')).toMatchObject({ status: 'failed', message: 'HTTPS_PROXY is not a valid proxy URL' });
    expect(stdout).not.toContain('secret');
  });

  test.each<[string, number, string, RegExp]>([
    ['a clock that is a little ahead', -120_000, 'warning', /^(2m( \ds)?|1m 5\ds) ahead of the platform's$/],
    ['a clock that is a little behind', 120_000, 'warning', /^(2m( \ds)?|1m 5\ds) behind the platform's$/],
    ['a clock that is far off', 600_000, 'failed', /behind/],
    ['a correct clock', 5_000, 'ok', /within 30 s/],
  ])('%s', async (_, offMs, status, message) => {
    const server = await serving((_request, response) => {
      response.setHeader('date', new Date(Date.now() + offMs).toUTCString());
      response.end(JSON.stringify([{ id: emulator.project }]));
    });
    const { code, of } = await found({ env: { GANTRY_API_URL: server } });
    expect(of('clock')).toMatchObject({ status, message: expect.stringMatching(message) });
    expect(code).toBe(status === 'failed' ? 1 : 0);
  });

  test('a platform that fails, and one that does not reply in time', async () => {
    const failing = await serving((_, response) => response.writeHead(503).end());
    const silent = await serving(() => {});
    const { code, of } = await found({
      io: { silenceMs: 1_500 },
      env: { GANTRY_API_URL: failing, GANTRY_LOGS_URL: silent },
    });
    expect(code).toBe(69);
    expect(of('management')).toMatchObject({ status: 'failed', message: expect.stringContaining('HTTP 503') });
    expect(of('logs')).toMatchObject({ status: 'failed', message: expect.stringMatching(/cannot connect to.*no/) });
    expect(of('project')).toMatchObject({ status: 'warning' });
  });

  test('a platform whose replies have another shape', async () => {
    const odd = await serving((_, response) => response.end('<html>'));
    const { code, of } = await found({ env: { GANTRY_API_URL: odd } });
    expect(code).toBe(70);
    expect(of('project')).toMatchObject({ status: 'failed', code: 'bug' });
  });
});

test('the token goes to the management address only', async () => {
  const seen: (string | undefined)[] = [];
  const logs = await serving((request, response) => {
    seen.push(request.headers.authorization);
    response.end();
  });
  await doctor({ env: { GANTRY_LOGS_URL: logs, GANTRY_INFERENCE_URL: logs } });
  expect(seen).toEqual([undefined, undefined]);
});

test('exits with 130 on Ctrl-C', async () => {
  let interrupt = () => {};
  const silent = await serving(() => interrupt());
  const asked = new Promise<void>((done) => {
    interrupt = done;
  });
  const outcome = gantry(['doctor'], {
    emulator,
    env: { GANTRY_API_URL: silent, GANTRY_LOGS_URL: silent },
    stop: /Checking/,
    io: { silenceMs: 3_000 },
  });
  await asked;
  expect((await outcome).code).toBe(130);
});
