import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { maxRecordedRequests, type RecordedRequest, recordRequest } from '../../src/emulator/model/recorded-request.ts';
import { turn } from '../../src/kernel/clock.ts';
import { type Endpoint, splitRoute } from '../../src/platform/contract/endpoint.ts';
import { endpoints } from '../../src/platform/contract/index.ts';
import { newFolder, platform, speaking } from './support/platform.ts';
import { zip } from './support/zip.ts';

test('every endpoint has a route', async () => {
  const { emulator } = await platform();
  for (const { route } of Object.values<Endpoint>(endpoints)) {
    const { method, path } = splitRoute(route);
    await fetch(emulator.url + path.replace(/\{\w+\}/g, 'x'), { method });
  }
  expect(emulator.calls.map(({ endpoint }) => endpoint)).toEqual(Object.keys(endpoints));
});

test('reset deletes everything except the project and its tokens', async () => {
  const { emulator, ask, deploy } = await platform();
  await deploy();
  emulator.fail('listApps', '503*');
  emulator.reset();
  expect(await ask('GET', '/apps')).toMatchObject({ status: 200, json: [] });
  expect(emulator.calls).toHaveLength(1);
  await deploy();
  expect(emulator.store.builds.size).toBe(1);
});

test('recorded calls contain what was sent, without secrets', async () => {
  const { emulator, deploy } = await platform();
  await deploy({ cpu: 1 });
  expect(emulator.calls).toMatchObject([
    {
      number: 1,
      method: 'POST',
      path: '/v2/projects/p-12345678/apps',
      endpoint: 'createApp',
      body: { name: 'web', cpu: 1 },
    },
    { number: 2, method: 'PUT', endpoint: 'upload', query: { 'X-Amz-Expires': '600' }, hasAuthorization: false },
  ]);
  const text = JSON.stringify(emulator.calls);
  expect(text).not.toContain(emulator.token);
  expect(text).not.toContain('X-Amz-Signature');
});

test('stops immediately with open connections, and leaves nothing behind', async () => {
  const folder = emptyTemporaryFolder();
  const emulator = await startEmulator();
  expect(readdirSync(folder)).toHaveLength(1);
  const socket = connect(Number(new URL(emulator.url).port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await emulator.close();
  await closed;
  expect(readdirSync(folder)).toEqual([]);
});

test('stops at every moment of an upload', async () => {
  const ended: number[] = [];
  for (let turns = 0; turns < 16; turns += 1) {
    const emulator = await startEmulator({ real: false });
    const { ask, put } = speaking(emulator);
    const { json } = await ask('POST', '/apps', { name: 'web' });
    const sent = put(json.uploadUrl, zip({ 'main.py': '' })).catch(() => {});
    for (let waited = 0; waited < turns; waited += 1) await turn();
    await Promise.all([emulator.close(), sent]);
    ended.push(turns);
  }
  expect(ended).toHaveLength(16);
});

test('fails if the port is in use, and leaves nothing behind', async () => {
  const { emulator } = await platform();
  const folder = emptyTemporaryFolder();
  const port = Number(new URL(emulator.url).port);
  await expect(startEmulator({ port })).rejects.toThrow('EADDRINUSE');
  expect(readdirSync(folder)).toEqual([]);
});

function emptyTemporaryFolder(): string {
  const folder = newFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test('forgets old requests, so that gantry dev does not grow with each reload', () => {
  const calls: RecordedRequest[] = [];
  const request = { method: 'GET', headers: {} } as IncomingMessage;
  for (let at = 0; at < maxRecordedRequests + 2; at += 1)
    recordRequest(calls, request, new URL('http://host/'), 'getApp');
  expect([calls.length, calls[0]?.number]).toEqual([maxRecordedRequests, 3]);
});
