import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { newFolder, platform } from './support/platform.ts';
import { zip } from './support/zip.ts';

const dependencies = {
  'main.py': 'import numpy\n',
  'pkglist.txt': 'ffmpeg\n',
  'conda_pkglist.txt': 'cuda==12.1\n',
  'requirements.txt': '# ours\nnumpy==2.1.0\n\n--extra-index-url https://example.org\nrequests[socks]~=2.31\n',
};

test('with a pace of 0 a build ends with its upload', async () => {
  const { ask, deploy } = await platform();
  const { build, id } = await deploy();
  expect((await ask('GET', build)).json).toEqual({
    id,
    status: 'success',
    createdAt: '2026-11-20T09:30:00.000Z',
    updatedAt: '2026-11-20T09:30:00.000Z',
  });
});

test('with a pace a build advances through its stages by the clock', async () => {
  const { ask, deploy, logOf, clock } = await platform({ pace: 1000 });
  const { path, build } = await deploy({ preBuildCommands: ['apt update'], shellCommands: ['make'] }, dependencies);
  const seen = [];
  // The image, the six stages in the documented order (docs/platform.md#builds), and the start of the app.
  for (let stage = 0; stage <= 8; stage += 1) {
    const { status } = (await ask('GET', build)).json;
    seen.push([status, (await ask('GET', path)).json.status, (await logOf(build)).at(-1)]);
    clock.now += 1000;
  }
  expect(seen).toEqual([
    ['building', 'deploying', 'FROM debian:bookworm-slim (not pulled: the app runs on this machine)'],
    ['building', 'deploying', 'The emulator runs no pre-build commands; only false and exit end the build'],
    ['building', 'deploying', 'The emulator does not install apt packages'],
    ['building', 'deploying', 'The emulator does not install conda packages'],
    ['building', 'deploying', 'The emulator does not install pip packages; with --install it does'],
    ['building', 'deploying', 'Received 4 files (112 bytes)'],
    ['building', 'deploying', 'The emulator runs no shell commands; only false and exit end the build'],
    ['initializing', 'deploying', 'Loading main.py'],
    ['success', 'ready', 'App is ready'],
  ]);
});

test('the log has each dependency and command once', async () => {
  const { ask, deploy, logOf } = await platform();
  const { build, id } = await deploy(
    { preBuildCommands: ['apt update'], shellCommands: ['make', 'make install'], useUv: true },
    dependencies,
  );
  const log = await logOf(build);
  expect(log.filter((line) => /^[-+] /.test(line))).toEqual([
    ...[
      '+ apt update',
      '- ffmpeg',
      '- cuda==12.1',
      '- numpy==2.1.0',
      '- requests[socks]~=2.31',
      '+ make',
      '+ make install',
    ],
  ]);
  expect((await ask('GET', `${build}/logs`)).json).toMatchObject({
    status: 'success',
    logs: expect.arrayContaining([{ id: `${id}-1`, createdAt: '2026-11-20T09:30:00.000Z', log: log[0] }]),
  });
});

test('a build without an archive waits, with an empty log', async () => {
  const { ask } = await platform();
  const { buildId } = (await ask('POST', '/apps', { name: 'web' })).json;
  expect((await ask('GET', `/apps/p-12345678-web/builds/${buildId}/logs`)).json).toEqual({
    logs: [],
    status: 'pending',
  });
});

test.each([
  ['a cortex app', {}],
  ['a server that imports it', { runtime: 'custom', entrypoint: ['uvicorn', 'main:app', '--port', '8000'] }],
  ['a script in a shell', { runtime: 'custom', entrypoint: ['sh', '-c', 'python ./main.py'] }],
])('%s does not start without main.py', async (_, settings) => {
  const { ask, deploy } = await platform();
  const { path, build } = await deploy(settings, { 'app.py': '' });
  const { status, initError } = (await ask('GET', build)).json;
  expect([status, initError]).toEqual(['init_failure', expect.stringContaining('main.py is not in the archive')]);
  expect((await ask('GET', path)).json).toMatchObject({
    status: 'error',
    lastBuildStatus: 'init_failure',
    errorMessage: initError,
    latestReadyBuildId: '',
  });
});

test.each([
  ['a server of its own module', { runtime: 'custom', entrypoint: ['uvicorn', 'app:app'] }, { 'app.py': '' }],
  [
    'a Dockerfile',
    { runtime: 'custom', dockerfilePath: './docker/Dockerfile' },
    { 'docker/Dockerfile': 'FROM python\n' },
  ],
])('%s needs no main.py', async (_, settings, files) => {
  const { ask, deploy } = await platform();
  const { build } = await deploy(settings, files);
  expect((await ask('GET', build)).json.status).toBe('success');
});

test('a Dockerfile must exist', async () => {
  const { ask, deploy } = await platform();
  const settings = { runtime: 'custom', dockerfilePath: 'Dockerfile' };
  const good = await deploy(settings, { Dockerfile: 'FROM python:3.12\nCMD ["python"]\n' });
  const bad = await deploy(settings);
  const reason = 'Dockerfile is not in the archive';
  expect((await ask('GET', bad.build)).json).toMatchObject({ status: 'build_failure', initError: reason });
  expect((await ask('GET', bad.path)).json).toMatchObject({
    status: 'ready',
    latestReadyBuildId: good.id,
    errorMessage: reason,
  });
});

test.each([
  ['not a zip', Buffer.from('hello')],
  ['empty', Buffer.alloc(0)],
  ['half a zip', zip({ 'main.py': 'print(1)\n' }).subarray(0, 60)],
])('an archive that is %s fails the build', async (_, content) => {
  const { ask, put, logOf } = await platform();
  const { buildId, uploadUrl } = (await ask('POST', '/apps', { name: 'web' })).json;
  expect((await put(uploadUrl, content)).status).toBe(200);
  const build = `/apps/p-12345678-web/builds/${buildId}`;
  const { status, initError } = (await ask('GET', build)).json;
  expect([status, initError]).toEqual(['build_failure', expect.stringContaining('cannot be unpacked')]);
  expect((await logOf(build)).at(-1)).toBe(`ERROR: ${initError}`);
});

test('lists every file of the archive with size and checksum', async () => {
  const { ask, deploy } = await platform();
  const { build, id } = await deploy({}, { 'main.py': 'print(1)\n', 'src/a b.txt': '' });
  expect((await ask('GET', `${build}/zip-contents`)).json).toEqual({
    id,
    zipFiles: { 'main.py': { size: 9, crc32: crc32('print(1)\n') }, 'src/a b.txt': { size: 0, crc32: 0 } },
  });
});

test('keeps the newest builds with their archives, and the one that serves', async () => {
  const data = newFolder();
  const { ask, deploy } = await platform({ data, maxBuilds: 2 });
  await deploy();
  const serving = await deploy();
  const failing = { runtime: 'custom', dockerfilePath: 'Dockerfile' };
  await deploy(failing);
  const kept = [await deploy(failing), await deploy(failing)];
  const ids = (await ask('GET', `${serving.path}/builds`)).json.map((build: { id: string }) => build.id);
  expect(ids).toEqual([...kept.reverse(), serving].map(({ id }) => id));
  const archives = readdirSync(join(data, 'storage', 'p-12345678', 'cortex', 'web'));
  expect(archives.sort()).toEqual(ids.map((id: string) => `build-${id}.zip`).sort());
});

test('cancels a build in progress, and keeps the previous version', async () => {
  const { ask, deploy, logOf, clock } = await platform({ pace: 1000 });
  const first = await deploy();
  clock.now += 60_000;
  const second = await deploy();
  clock.now += 1000;

  expect((await ask('GET', second.path)).json.status).toBe('deploying');
  const answer = await ask('DELETE', second.build);
  expect([answer.status, answer.text]).toEqual([200, `Build ${second.id} cancelled`]);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  clock.now += 60_000;

  expect((await ask('GET', second.build)).json).toMatchObject({
    status: 'cancelled',
    updatedAt: '2026-11-20T09:31:01.000Z',
  });
  expect((await logOf(second.build)).at(-1)).toBe('Build cancelled');
  expect((await ask('GET', second.path)).json).toMatchObject({
    status: 'ready',
    lastBuildStatus: 'cancelled',
    latestBuildId: second.id,
    latestReadyBuildId: first.id,
  });
});

test('does not cancel a build that has ended or does not exist', async () => {
  const { ask, deploy } = await platform();
  const { path, build, id } = await deploy();
  const message = `build ${id} cannot be canceled: it is success`;
  expect(await ask('DELETE', build)).toMatchObject({ status: 400, json: { message } });
  expect((await ask('DELETE', `${path}/builds/nothing`)).status).toBe(404);
});

test('an archive for a canceled build has no effect', async () => {
  const { ask, put } = await platform();
  const { buildId, uploadUrl } = (await ask('POST', '/apps', { name: 'web' })).json;
  await ask('DELETE', `/apps/p-12345678-web/builds/${buildId}`);
  expect((await put(uploadUrl, zip({ 'main.py': '' }))).status).toBe(200);
  const { json } = await ask('GET', `/apps/p-12345678-web/builds/${buildId}`);
  expect(json.status).toBe('cancelled');
});
