import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { gantry, listening, newFolder, smallApp } from '../support/index.ts';

const node = process.execPath;
const say = (expression: string) => [node, '-e', `process.stdout.write(String(${expression}))`];

test('emulator exec returns 128 plus the number of the signal that ended its command', async () => {
  const { code } = await gantry(['emulator', 'exec', '--', node, '-e', 'process.kill(process.pid, "SIGKILL")']);
  expect(code).toBe(137);
});

test('emulator exec configures gantry and the official client to use it', async () => {
  const names = [
    ...['GANTRY_API_URL', 'GANTRY_TOKEN', 'GANTRY_PROJECT', 'REST_API_URL', 'CEREBRIUM_PROJECT_ID'],
    ...['AUTH_URL', 'CLIENT_ID', 'LOGSTREAM_URL', 'CEREBRIUM_ENV', 'CEREBRIUM_SERVICE_ACCOUNT_TOKEN'],
  ];
  const missing = `${JSON.stringify(names)}.filter((name) => !process.env[name]).length`;
  expect((await gantry(['emulator', 'exec', '--', node, '-e', `process.exit(${missing})`])).code).toBe(0);
});

test('emulator exec --json prints nothing beside what its command prints', async () => {
  const { code, stdout } = await gantry(['emulator', 'exec', '--json', '--', node, '-e', 'process.exit(3)']);
  expect([code, stdout]).toEqual([3, '']);
});

test('emulator exec reports a program that does not exist', async () => {
  expect(await gantry(['emulator', 'exec', '--', 'no-such-program'])).toExit(1, 'cannot start no-such-program');
});

test('emulator exec passes on the flags of its command', async () => {
  const own = [node, '-e', 'process.exit(process.argv.length)', '--', '--json', '--nonsense'];
  const { code, stdout } = await gantry(['emulator', 'exec', '--', ...own]);
  expect([code, stdout]).toEqual([3, '']);
});

test('emulator exec without a command exits with 2', async () => {
  expect((await gantry(['emulator', 'exec'])).code).toBe(2);
});

test.each([
  ['nonsense', 'expected TARGET=FAULT'],
  ['upload=nonsense', 'invalid fault "nonsense" for upload: expected one of 503, 429:2'],
  ['build=503', 'invalid fault "503" for build: expected one of build_failure'],
])('the fault %s is refused with exit code 2 and the valid ones', async (fault, says) => {
  expect(await gantry(['emulator', 'exec', '--fault', fault, '--', ...say('1')])).toExit(2, says);
});

test.each(['-1', 'soon', '1.5'])('the pace %s is refused with exit code 2', async (pace) => {
  expect(await gantry(['emulator', 'exec', `--pace=${pace}`, '--', ...say('1')])).toExit(2, 'expected a whole number');
});

test('emulator start reports a port in use, with the fix', async () => {
  const { port } = new URL(await listening(createServer()));
  expect(await gantry(['emulator', 'start', '--port', port])).toExit(1, `port ${port} is in use`, '--port 0');
});

test.skipIf(!python)('relative paths are in the folder of -C, and apps run from them (needs python3)', async () => {
  const folder = newFolder({
    'web/main.py': 'def run():\n    return 1\n',
    'web/cerebrium.toml': smallApp()['cerebrium.toml'] ?? '',
  });
  const stop = new AbortController();
  const words = ['emulator', 'start', '-C', folder, '--port', '0', '--data-dir', '.gantry', '--json'];
  let ready = '';
  const seen = (stdout: string) => {
    ready = stdout;
  };
  const ended = gantry(words, { stop: stop.signal, meanwhile: () => setTimeout(5), seen });
  await expect.poll(() => ready).toContain('"environment"');
  const { environment: env } = JSON.parse(ready);
  const deployed = await gantry(['deploy'], { env, cwd: join(folder, 'web'), meanwhile: () => setTimeout(5) });
  expect([deployed.code, existsSync(join(folder, '.gantry/state.json'))], deployed.stderr).toEqual([0, true]);
  stop.abort();
  expect((await ended).code).toBe(0);
});

test('--no-seed is a project that nobody uses yet', async () => {
  const look = `
    const { GANTRY_API_URL: url, GANTRY_TOKEN: token, GANTRY_PROJECT: project } = process.env;
    const get = async (path) => {
      const reply = await fetch(url + '/v2/projects/' + project + path, { headers: { authorization: 'Bearer ' + token } });
      return reply.json();
    };
    const found = [await get('/apps'), await get('/users'), await get('/service-accounts'), await get('/api-keys')];
    const text = JSON.stringify(found);
    process.exit(/example.com|service_account|dashboards/.test(text) ? 1 : /inference/.test(text) ? 0 : 2);`;
  const folder = newFolder({ 'look.mjs': look });
  const exec = async (...flags: string[]) =>
    (await gantry(['emulator', 'exec', ...flags, '--', node, join(folder, 'look.mjs')])).code;
  expect([await exec('--no-seed'), await exec()]).toEqual([0, 1]);
});

test.each(['-1', 'lucky'])('the seed %s is refused with exit code 2', async (seed) => {
  expect(await gantry(['emulator', 'exec', `--seed=${seed}`, '--', ...say('1')])).toExit(2, 'expected a whole number');
});
