import { readdirSync } from 'node:fs';
import { type GenericSchema, safeParse } from 'valibot';
import { afterEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator/index.ts';
import { endpointHandlers } from '../../../src/emulator/server/routes.ts';
import type { Endpoint } from '../../../src/platform/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../../src/platform/contract/index.ts';
import { oauthClientId } from '../../../src/platform/contract/session.ts';
import { exampleReply as reply, replyOfContract } from '../../support/example-reply.ts';
import { gantry, newFolder, smallApp } from '../../support/index.ts';
import { tar } from '../../support/tar.ts';
import { sentUpload } from '../../support/volumes.ts';

const names = Object.keys(endpoints) as EndpointName[];

let emulator: Emulator | undefined;

afterEach(() => emulator?.close());

test('no reply in fixtures/replies is without an endpoint', () => {
  const files = readdirSync('fixtures/replies').map((file) => file.replace('.json', ''));
  expect(names).toEqual(expect.arrayContaining(files));
});

test('every endpoint has a route in the emulator', () => {
  expect(Object.keys(endpointHandlers).sort()).toEqual([...names].sort());
});

test('every endpoint has a route of its own', () => {
  const routes = Object.values<Endpoint>(endpoints).map(({ route }) => route.replace(/\{\w+\}/g, '{}'));
  expect(new Set(routes).size).toBe(routes.length);
});

test('the emulator replies to every endpoint with a body that decodes to the same values', async () => {
  emulator = await startEmulator({ real: false });
  const app = newFolder(smallApp());
  await gantry(['deploy'], { emulator, cwd: app });
  const build = emulator.store.getAppBuilds(`${emulator.project}-web`)[0]?.id ?? '';
  emulator.fail('build', 'slow');
  await gantry(['deploy', '--detach'], { emulator, cwd: app });
  const slow = emulator.store.getAppBuilds(`${emulator.project}-web`)[0]?.id ?? '';
  const run = emulator.store.addRun({ app: `${emulator.project}-web`, createdAt: Date.now() - 1000 }).id;
  emulator.logs.add(`${emulator.project}-web`, { container: 'web-1', stream: 'stdout', text: 'hello' });
  const device = { code: 'device-1', userCode: 'BCDF-GHJK', createdAt: Date.now() };
  emulator.store.devices.set(device.code, { ...device, state: 'approved' });
  emulator.store.sessions.set('refresh-1', 'somebody');
  const bodies: Partial<Record<EndpointName, object>> = {
    authorizeDevice: {},
    requestToken: { device_code: device.code },
    renewToken: { grant_type: 'refresh_token', client_id: oauthClientId, refresh_token: 'refresh-1' },
    createApp: { name: 'other' },
    invoke: {},
    prepareBaseImage: { dependencies: { pip: { requests: 'latest' } }, preBuildCommands: [], shellCommands: [] },
    startRun: {
      projectId: emulator.project,
      data: part('data.json', '{}'),
      file: part('run.tar', tar('main.py', '')),
    },
    scaleApp: { maxReplicaCount: 3 },
    createPartnerApp: { name: 'voice', runtime: 'deepgram' },
    inviteUser: { emailAddress: 'new@example.com', role: 'member' },
    updateServiceAccount: { grants: [emulator.project] },
    changePlan: { planCode: 'hobby' },
    setProjectSecrets: { HF_TOKEN: 'hf_example' },
    setAppSecrets: { HF_TOKEN: 'hf_example' },
    initializeUpload: { file_path: '/b.txt', part_count: 2 },
    completeUpload: await sentUpload(emulator, '/a.txt', 'hello'),
    resizeVolume: { newSizeGb: 60 },
  };
  const queries: Partial<Record<EndpointName, string>> = {
    startRun: '?filename=main.py',
    getDownloadLink: '?file_path=/a.txt',
    deletePath: '?file_path=/a.txt',
  };
  for (const name of names) {
    const { route, form, reply: schema } = endpoints[name] as Endpoint;
    const [method = '', path = ''] = route.split(' ');
    const values: Record<string, string> = {
      project: emulator.project,
      app: `${emulator.project}-${name === 'deleteApp' ? 'other' : 'web'}`,
      build: name === 'cancelBuild' ? slow : build,
      run,
      name: 'web',
      function: 'run',
      serviceAccount: 'sa-ci',
      volume: name === 'resizeVolume' ? 'default-us-east-1' : 'default',
    };
    const url =
      emulator.url + path.replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '') + (queries[name] ?? '');
    const body = bodies[name];
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${emulator.token}`,
        ...(body && !form && { 'content-type': 'application/json' }),
      },
      ...(body && { body: encoded(form, body) }),
    });
    const text = await answer.text();
    expect([name, answer.status]).toEqual([name, 200]);
    if (typeof schema === 'string') expect(text).not.toBe('');
    else expect(keysOf(decode(name, JSON.parse(text)))).toEqual(keysOf(JSON.parse(text)));
  }
});

describe('a reply of the platform', () => {
  test.each(names)('to %s is decoded without losing a field', (name) => {
    const wire = reply(name);
    const decoded = decode(name, wire);
    expect(keysOf(decoded)).toEqual(keysOf(wire));
  });

  test.each(names)('to %s that is made from the contract is decoded to itself', (name) => {
    const wire = replyOfContract(name);
    expect({ reply: decode(name, wire) }).toMatchObject({ reply: wire });
  });

  test('has decoded numbers and times', () => {
    expect(decode('getApp', reply('getApp'))).toMatchObject({
      cpu: 2,
      memory: 16.5,
      costPerSecondCents: 0.0222,
      scalingBuffer: undefined,
      port: undefined,
      createdAt: '2026-11-02T08:15:30.123Z',
      updatedAt: undefined,
    });
    expect(decode('listBuilds', reply('listBuilds'))).toMatchObject([
      { createdAt: '2026-11-02T08:15:31.000Z', updatedAt: '2026-11-02T08:17:02.500Z' },
      { status: 'polishing', createdAt: undefined, updatedAt: undefined },
    ]);
  });

  test.each<[EndpointName, unknown]>([
    ['getApp', {}],
    ['getApp', { message: 'forbidden' }],
    ['getAppCost', { message: 'forbidden' }],
    ['listServiceAccounts', { message: 'forbidden' }],
    ['createApp', { buildId: '' }],
    ['listApps', 'none'],
    ['getAppLogs', { logs: 'none' }],
    ['listInvoices', { message: 'forbidden' }],
    ['listApps', {}],
    ['authorizeDevice', { device_code: 'd' }],
    ['requestToken', { refreshToken: 'r' }],
    ['renewToken', {}],
    ['createApp', { status: 'pending' }],
    ['getBuild', { id: 'b' }],
    ['getBuildLogs', []],
    ['listRuns', []],
    ['getRun', { id: 'r-1' }],
    ['listUsers', {}],
    ['listServiceAccounts', []],
    ['inviteUser', {}],
    ['listPaymentMethods', []],
    ['getProjectSecrets', []],
    ['getAppSecrets', ['HF_TOKEN']],
    ['getServiceStatus', {}],
    ['initializeUpload', { upload_id: 'u', parts: [{ part_number: 1 }] }],
    ['getDownloadLink', {}],
  ])('to %s is rejected without a required field: %j', (name, wire) => {
    const { reply: schema } = endpoints[name] as Endpoint;
    expect(safeParse(schema as GenericSchema, wire).success).toBe(false);
  });
});

test('a field that the contract does not have is in --json, and can be selected by name', async () => {
  emulator = await startEmulator({ real: false });
  await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()) });
  const { json } = await gantry(['builds', 'get', 'web', '--files', '--json=zipFiles'], { emulator });
  expect(json()).toHaveProperty(['zipFiles', 'main.py']);
  const decoded = decode('getApp', reply('getApp'));
  expect(decoded).toMatchObject({ podCount: 0, somethingNew: { nested: [1, 2, 3] } });
});

function encoded(form: Endpoint['form'], body: object): string | URLSearchParams | FormData {
  if (!form) return JSON.stringify(body);
  if (form !== 'multipart') return new URLSearchParams({ ...body });
  const parts = new FormData();
  for (const [name, part] of Object.entries(body)) parts.append(name, part);
  return parts;
}

function part(name: string, content: string | Buffer): File {
  return new File([content], name);
}

function decode(name: EndpointName, wire: unknown): unknown {
  const { reply: schema } = endpoints[name] as Endpoint;
  if (typeof schema === 'string') return wire;
  const result = safeParse(schema, wire);
  expect(result.issues).toBeUndefined();
  return result.output;
}

/** Every key in every object below, by its path. */
function keysOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys = Object.entries(value).flatMap(([key, inner]) => [`${path}.${key}`, ...keysOf(inner, `${path}.${key}`)]);
  return keys.sort();
}
