import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readInstallation } from '../../src/operations/version/index.ts';
import { isNewer } from '../../src/operations/version/newest-version.ts';
import { version } from '../../src/version.ts';
import { folderOf } from '../support/app.ts';
import { gantry } from '../support/gantry.ts';

describe('gantry version', () => {
  test('shows the version, how gantry was installed, Node and the platform', async () => {
    const { code, stdout, stderr } = await gantry(['version']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(`^gantry ${version}\ninstalled with source: .*\nNode ${process.versions.node} on .*-.*\n$`),
    );
  });

  test('in JSON has the command that updates it', async () => {
    expect((await gantry(['--version', '--json'])).json()).toEqual((await gantry(['version', '--json'])).json());
    expect((await gantry(['version', '--json'])).json()).toMatchObject({
      version,
      installedWith: 'source',
      update: 'git pull && npm install',
      newest: null,
    });
  });
});

describe('gantry version --check', () => {
  let reply: { status: number; body: string };
  const asked: { url: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push({ url, authorization: headers.authorization });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  });
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
  afterAll(() => void server.close());
  const check = (...flags: string[]) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mirror/`;
    return gantry(['version', '--check', ...flags], { env: { GANTRY_REGISTRY_URL: url, GANTRY_TOKEN: 'secret' } });
  };

  test('says that there is a newer version, and how to install it', async () => {
    reply = { status: 200, body: '{"version":"99.0.0"}' };
    const { code, stderr } = await check();
    expect([code, stderr]).toEqual([0, 'gantry 99.0.0 is available: git pull && npm install\n']);
    expect((await check('--json')).json()).toMatchObject({ version, newest: '99.0.0' });
    expect(asked.at(-1)).toEqual({ url: '/mirror/gantry/latest', authorization: undefined });
  });

  test.each(['99.0.0+build.5', '99.0.0-rc.1+exp.sha'])('takes the version %s', async (newest) => {
    reply = { status: 200, body: JSON.stringify({ version: newest }) };
    expect((await check('--json')).json()).toMatchObject({ newest });
  });

  test('says that this version is the newest', async () => {
    reply = { status: 200, body: JSON.stringify({ version }) };
    expect((await check()).stderr).toBe('gantry is up to date\n');
  });

  test.each([
    ['an error', { status: 503, body: '{}' }],
    ['a web page', { status: 200, body: '<html>' }],
    ['another document', { status: 200, body: '{"version":1}' }],
  ])('exits with 69 if the registry answers with %s', async (_, given) => {
    reply = given;
    const { code, stderr } = await check();
    expect(code).toBe(69);
    expect(stderr).toContain('did not return the newest version');
  });

  test.each(['99.0.0+$(id)', '99.0.0+\u001b[2J', '99.0.0-', '99.0', '099.0.0', `99.0.0+${'a'.repeat(200)}`])(
    'exits with 69 if the registry names the version %j',
    async (newest) => {
      reply = { status: 200, body: JSON.stringify({ version: newest }) };
      const { code, stdout, stderr } = await check();
      expect([code, stderr]).toEqual([69, expect.stringContaining('did not return the newest version')]);
      expect(stdout + stderr).not.toContain(newest);
    },
  );

  test('refuses a registry that is no URL', async () => {
    expect((await gantry(['version', '--check'], { env: { GANTRY_REGISTRY_URL: 'registry' } })).code).toBe(2);
  });
});

test.each([
  ['0.2.0', '0.1.9', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '1.0.0', false],
  ['1.0.0', '1.0.1', false],
  ['1.0.0', '1.0.0-rc.1', true],
  ['1.0.0-rc.1', '1.0.0', false],
  ['1.0.0-rc.10', '1.0.0-rc.9', true],
])('whether %s is newer than %s: %s', (a, b, expected) => {
  expect(isNewer(a, b)).toBe(expected);
});

test.each([
  ['npm', 'lib/node_modules/gantry/dist', false],
  ['pip', 'site-packages/gantry_cli/program/dist', false],
  ['homebrew', 'Cellar/gantry/1.0.0/bin/gantry', true],
  ['executable', 'bin/gantry', true],
  ['pip', 'venv/bin/gantry', true],
  ['source', 'gantry/dist', false],
])('an installation with %s is recognized', async (expected, path, alone) => {
  await using place = await folderOf({ 'venv/pyvenv.cfg': '', [`${path}/file`]: '' });
  expect(readInstallation(`${place.path}/${path}`, alone)).toMatchObject({ installedWith: expected, version });
});
