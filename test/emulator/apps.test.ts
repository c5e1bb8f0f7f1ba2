import { expect, test } from 'vitest';
import { newFolder, platform } from './support/platform.ts';

test('creating an app creates a build that waits for its archive', async () => {
  const { emulator, ask } = await platform();
  const { status, json } = await ask('POST', '/apps', { name: 'web' });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    status: 'pending',
    keyName: `p-12345678/cortex/web/build-${json.buildId}.zip`,
    internalEndpoint: `${emulator.url}/v4/p-12345678/web`,
  });
  const link = new URL(json.uploadUrl);
  expect(link.origin + link.pathname).toBe(`${emulator.url}/storage/${json.keyName}`);
  expect(Object.fromEntries(link.searchParams)).toMatchObject({
    'X-Amz-Date': '20261120T093000Z',
    'X-Amz-Expires': '600',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test.each([
  [{}, 'name'],
  [{ name: '' }, 'name is required'],
  [{ name: '..' }, 'name must not be . or ..'],
  [{ name: 'a/b' }, 'name must not contain slashes'],
  [{ name: 'a\nb' }, 'control characters'],
  [{ name: 'é'.repeat(65) }, 'name must not be longer than 128 bytes'],
  [{ name: 'a'.repeat(129) }, 'name must not be longer'],
  [{ name: 7 }, 'name: '],
  [{ name: 'web', port: 70_000 }, 'port must be at most 65535'],
  [{ name: 'web', entrypoint: ['a\0b'] }, 'entrypoint must not contain NUL'],
  [{ name: 'web', responseGracePeriodSeconds: 50_000 }, 'responseGracePeriodSeconds'],
  [{ name: 'web', cpu: '2' }, 'cpu: '],
  [{ name: 'web', entrypoint: 'python main.py' }, 'entrypoint: '],
  [{ name: 'web', compute: ['CPU', 3] }, 'compute.1: '],
  [{ name: 'web', compute: [] }, 'compute must list'],
  [{ name: 'web', compute: ['GTX_1080'] }, 'unknown compute type: GTX_1080'],
  [{ name: 'web', pythonVersion: '2.7' }, 'pythonVersion must be one of 3.10'],
  [{ name: 'web', provider: 'coreweave' }, 'provider must be one of'],
  [{ name: 'web', runtime: 'deepgram' }, 'runtime must be one of cortex, custom'],
  [{ name: 'web', minReplicaCount: -1 }, 'minReplicaCount must be a non-negative integer'],
  [{ name: 'web', port: 80.5 }, 'port must be a non-negative integer'],
  [{ name: 'web', minReplicaCount: 3, maxReplicaCount: 2 }, 'must not exceed maxReplicaCount'],
  [{ name: 'web', minReplicaCount: 2 }, 'must not exceed maxReplicaCount'],
  [{ name: 'web', dockerAuth: 'user:pass' }, 'dockerAuth'],
  ['{"name": ', 'not valid JSON'],
  [[], 'the body must be'],
])('create app refuses %j', async (body, message) => {
  const { emulator, ask } = await platform();
  const { status, json } = await ask('POST', '/apps', body);
  expect(status).toBe(400);
  expect(json.message.toLowerCase()).toContain(message.toLowerCase());
  expect(emulator.store.apps.size).toBe(0);
});

test("an app's numbers are sent as text, except its port", async () => {
  const { ask, deploy, id } = { ...(await platform()), id: 'p-12345678-web' };
  const { path, ...build } = await deploy({ cpu: 0.5, compute: ['ADA_L4'], provider: 'aws', port: 9000 });
  const { json } = await ask('GET', path);
  expect(json).toMatchObject({
    id,
    name: 'web',
    projectId: 'p-12345678',
    status: 'ready',
    errorMessage: '',
    cpu: '0.5',
    memory: '4',
    gpuCount: '1',
    replicaConcurrency: '1',
    port: 9000,
    hardware: 'ADA_L4',
    hardwareProvider: 'aws',
    region: 'us-east-1',
    pythonVersion: '3.11',
    disableAuth: true,
    lastBuildStatus: 'success',
    latestBuildId: build.id,
    latestReadyBuildId: build.id,
  });
});

test('a deploy resets omitted settings to their defaults', async () => {
  const { ask, deploy, clock } = await platform();
  const { path } = await deploy({ cpu: 8, maxReplicaCount: 5 });
  const before = (await ask('GET', path)).json;
  clock.now += 1000;
  await deploy({ cpu: 8 });
  const after = (await ask('GET', path)).json;
  expect([before.maxReplicaCount, after.maxReplicaCount, after.cpu]).toEqual(['5', '1', '8']);
  expect(after.createdAt).toBe(before.createdAt);
  expect(after.updatedAt).not.toBe(before.updatedAt);
});

test('stores the text of the config file under either name, and accepts null for lists', async () => {
  const { emulator, ask } = await platform();
  await ask('POST', '/apps', { name: 'one', platform_toml: '[cerebrium]' });
  await ask('POST', '/apps', { name: 'two', cerebrium_toml: '[cerebrium]', shellCommands: null });
  expect(emulator.store.apps.get('p-12345678-one')?.settings.platform_toml).toBe('[cerebrium]');
  expect(emulator.store.apps.get('p-12345678-two')?.settings.platform_toml).toBe('[cerebrium]');
});

test('does not store registry credentials', async () => {
  const { emulator, deploy } = await platform();
  await deploy({ dockerAuth: '{"auths":{"ghcr.io":{"auth":"c2VjcmV0"}}}' });
  expect(JSON.stringify([...emulator.store.apps.values(), ...emulator.store.builds.values()])).not.toContain(
    'c2VjcmV0',
  );
});

test("a partner's app builds without an upload", async () => {
  const { ask } = await platform();
  expect((await ask('POST', '/partner-apps', { name: 'voice', runtime: 'cortex' })).status).toBe(400);
  const { json } = await ask('POST', '/partner-apps', { name: 'voice', runtime: 'deepgram' });
  expect(json).toMatchObject({ uploadUrl: '', status: 'success' });
  expect((await ask('GET', `/apps/p-12345678-voice/builds/${json.buildId}/zip-contents`)).status).toBe(404);
});

test('lists ephemeral apps only on request', async () => {
  const { emulator, ask } = await platform();
  await ask('POST', '/apps', { name: 'web' });
  await ask('POST', '/apps', { name: 'once' });
  Object.assign(emulator.store.apps.get('p-12345678-once') ?? {}, { ephemeral: true });

  const names = async (query: string) =>
    (await ask('GET', `/apps${query}`)).json.map((app: { name: string }) => app.name);
  expect(await names('')).toEqual(['web']);
  expect(await names('?includeEphemeral=false')).toEqual(['web']);
  expect(await names('?includeEphemeral=true')).toEqual(['web', 'once']);
  expect((await ask('GET', '/apps')).json[0]).toMatchObject({
    status: 'pending',
    cost_metrics: { cpu_cost: 0, gpu_cost: 0, memory_cost: 0, total_cost: 0 },
    request_metrics: { successful: 0, errored: 0, total: 0 },
  });
});

test('finds an app by its id only', async () => {
  const { ask } = await platform();
  await ask('POST', '/apps', { name: 'web' });
  expect((await ask('GET', '/apps/p-12345678-web')).status).toBe(200);
  expect(await ask('GET', '/apps/web')).toMatchObject({ status: 404, json: { message: 'app web not found' } });
});

test.each(['My App', '0_first', 'Größe', 'a%2Fb', '-', '.hidden', '__proto__', 'con'])(
  'the name %j, which a URL can carry, can be deployed and called',
  async (name) => {
    const { ask, deploy, emulator } = await platform({ real: false, data: newFolder() });
    const { path } = await deploy({ name }, { 'main.py': 'def run(): ...\n' });
    const address = `/apps/${encodeURIComponent(`${emulator.project}-${name}`)}`;
    expect(path).toMatch(/^\/apps\//);
    const { json } = await ask('GET', address);
    expect([json.name, json.status]).toEqual([name, 'ready']);
    const answer = await fetch(`${json.internalEndpoint}/run`, { method: 'POST', body: '{}' });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ run_id: expect.any(String) }),
    ]);
    expect((await ask('GET', `${address}/logs`)).status).toBe(200);
    expect((await ask('DELETE', address)).status).toBe(200);
  },
);
