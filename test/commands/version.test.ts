import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { releaseNames, version } from '../../src/kernel/version.ts';
import { findNewestVersion, isNewer, readInstallation, registryUrl } from '../../src/local/version/index.ts';
import type { Context } from '../../src/platform/context.ts';
import { folderOf } from '../support/app.ts';
import { gantry } from '../support/gantry.ts';

/** As after a release. */
const names = { ...releaseNames, npm: '@ada/gantry' };

test('--version as JSON tells how gantry was installed, and how to update it', async () => {
  const { json } = await gantry(['--version', '--json']);
  expect(json()).toEqual({
    version,
    installedWith: 'source',
    path: expect.any(String),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    update: 'git pull && npm install',
  });
  expect((await gantry(['version', '--json'])).json()).toEqual(json());
  expect((await gantry(['version'])).stdout).toBe(`${version}\n`);
});

describe('the newest version', () => {
  let reply: { status: number; body: string };
  const asked: { url: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push({ url, authorization: headers.authorization });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  });
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
  afterAll(() => void server.close());
  const ask = async (address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mirror/`) => {
    const env = { GANTRY_REGISTRY_URL: address, GANTRY_TOKEN: 'secret' };
    const context = { env, settings: {}, silenceMs: 10_000, signal: new AbortController().signal };
    return findNewestVersion(context as unknown as Context, registryUrl(env) as URL);
  };

  test.each(['99.0.0', '99.0.0+build.5', '99.0.0-rc.1+exp.sha'])('may be %s; no token is sent', async (newest) => {
    reply = { status: 200, body: JSON.stringify({ version: newest }) };
    expect(await ask()).toBe(newest);
    expect(asked.at(-1)).toEqual({ url: '/mirror/gantry/latest', authorization: undefined });
  });

  test.each([
    ['an error', { status: 503, body: '{}' }],
    ['a web page', { status: 200, body: '<html>' }],
    ['another document', { status: 200, body: '{"version":1}' }],
    ...['99.0.0+$(id)', '99.0.0+\u001b[2J', '99.0.0-', '99.0', '099.0.0', `99.0.0+${'a'.repeat(200)}`].map(
      (newest): [string, typeof reply] => [newest, { status: 200, body: JSON.stringify({ version: newest }) }],
    ),
  ])('is not known if the registry answers with %j', async (_, given) => {
    reply = given;
    await expect(ask()).rejects.toThrow(/^127\.0\.0\.1:\d+ did not return the newest version$/);
  });

  test('is asked for under the published name, and not at all while there is none', () => {
    expect(registryUrl({})).toBeUndefined();
    expect(registryUrl({}, names)?.href).toBe('https://registry.npmjs.org/@ada/gantry/latest');
  });

  test('is not asked for at what is no URL', async () => {
    await expect(ask('registry')).rejects.toThrow('GANTRY_REGISTRY_URL is not a URL');
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

/** Real paths of what a tool has installed; `+` is an executable. */
test.each([
  ['package', '/usr/local/lib/node_modules/gantry'],
  ['package', '/home/ada/.nvm/versions/node/v22.1.0/lib/node_modules/gantry'],
  ['package', 'C:\\Users\\ada\\AppData\\Roaming\\npm\\node_modules\\gantry'],
  ['package', '/home/ada/.npm/_npx/1a2b3c/node_modules/gantry'],
  ['package', '/home/ada/shop/.yarn/unplugged/gantry-npm-0.1.0-1a2b/node_modules/gantry'],
  ['package', '/usr/lib/python3.12/site-packages/gantry_cli/program'],
  ['package', '/home/ada/.local/share/pipx/venvs/gantry-cli/bin/gantry+'],
  ['package', '/home/ada/.local/share/uv/tools/gantry-cli/bin/gantry+'],
  ['package', 'C:\\Users\\ada\\AppData\\Roaming\\uv\\tools\\gantry-cli\\Scripts\\gantry.exe+'],
  ['package', '/home/ada/.cache/uv/archive-v0/1a2B3c/bin/gantry+'],
  ['homebrew', '/opt/homebrew/Cellar/gantry/0.1.0/bin/gantry+'],
  ['executable', '/opt/gantry+'],
  ['source', '/home/ada/src/gantry'],
])('an installation with %s is told by the path %s', (installedWith, path) => {
  expect(readInstallation(path.replace('+', ''), path.endsWith('+'))).toMatchObject({ installedWith, version });
});

test.each([
  ['package', 'bin/gantry', 'pyvenv.cfg'],
  ['package', 'bin/gantry', 'lib/python3.12/site-packages/gantry_cli-0.1.0.dist-info/RECORD'],
  ['package', 'bin/gantry', 'lib/python3/dist-packages/gantry_cli-0.1.0.dist-info/RECORD'],
  ['package', 'Scripts/gantry.exe', 'Lib/site-packages/gantry_cli-0.1.0.dist-info/RECORD'],
  ['image', 'local/bin/gantry', 'share/doc/gantry/THIRD-PARTY-NOTICES.txt'],
  ['executable', 'bin/gantry', 'lib/python3.12/site-packages/other-0.1.0.dist-info/RECORD'],
])('an installation with %s is told by what lies beside %s: %s', async (installedWith, path, beside) => {
  const files = [path, ...beside.split(' ')].map((name) => [name, '']);
  await using place = await folderOf(Object.fromEntries(files));
  expect(readInstallation(`${place.path}/${path}`, true)).toMatchObject({ installedWith, version });
});
