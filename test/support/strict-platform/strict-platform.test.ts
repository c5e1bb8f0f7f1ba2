import { afterEach, beforeEach, expect, test } from 'vitest';
import { StrictPlatform } from './index.js';
import type { Fault, World } from './types.ts';

let platform: StrictPlatform;
const volume = '/v2/projects/p-chaos001/volumes/default';

beforeEach(async () => {
  const file = { path: '/a.txt', bytes: Buffer.from('0123456789'), modified: 1_700_000_000_000, etag: 'md5' as const };
  platform = await new StrictPlatform({ token: 't', regions: { 'us-east-1': [file] } }).start();
});

afterEach(() => platform.close());

test('refuses a call without a token and notes it', async () => {
  expect((await fetch(`${platform.url}${volume}/ls`)).status).toBe(401);
  expect(platform.findings).toEqual(['ls: the token is missing or another one']);
});

test('notes unknown routes, query names and fields', async () => {
  expect((await call('GET', '/v2/nothing')).status).toBe(404);
  await call('GET', `${volume}/ls?path=%2F`);
  await call('POST', `${volume}/cp/initialize`, { file_path: '/x', part_count: '1', extra: true });
  expect(platform.findings).toEqual([
    'GET to no known route: GET /v2/nothing',
    'a token was sent to GET /v2/nothing',
    'ls: unknown query parameter path',
    'initialize: body.extra is unknown',
  ]);
});

test('stores uploads that follow the rules only', async () => {
  const upload = await begin('/b.txt', 1);
  const put = await fetch(upload.parts[0]?.url ?? '', { method: 'PUT', body: 'content' });
  const etag = put.headers.get('etag') ?? '';
  const wrong = await complete(upload.upload_id, '/b.txt', [{ part_number: 1, etag: '"other"' }]);
  expect(wrong.status).toBe(400);
  expect((await complete(upload.upload_id, '/b.txt', [{ part_number: 1, etag }])).status).toBe(200);
  expect(platform.store.volume('us-east-1')?.get('/b.txt')?.bytes.toString()).toBe('content');
  expect(platform.findings).toEqual([`complete: part 1 has the ETag ${etag}, not "other"`]);
});

test('refuses parts below 5 MiB before the last', async () => {
  const { upload_id: id, parts } = await begin('/b.txt', 2);
  const etags = [];
  for (const { part_number, url } of parts) {
    const put = await fetch(url, { method: 'PUT', body: 'small' });
    etags.push({ part_number, etag: put.headers.get('etag') });
  }
  expect((await complete(id, '/b.txt', etags)).status).toBe(400);
  expect(platform.findings).toEqual(['complete: part 1 is below 5 MiB']);
});

test('notes a token that is sent to a signed link', async () => {
  const { url } = (await (await call('GET', `${volume}/download?file_path=%2Fa.txt`)).json()) as { url: string };
  await fetch(url, { headers: { authorization: 'Bearer t' } });
  expect(platform.findings).toEqual(['get: a token was sent to a signed link']);
});

test('handles ranges and conditions like object storage', async () => {
  const { url } = (await (await call('GET', `${volume}/download?file_path=%2Fa.txt`)).json()) as { url: string };
  const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);
  expect((await fetch(url, { headers: { range: 'bytes=10-' } })).status).toBe(416);
  expect((await fetch(url, { headers: { 'if-match': '"other"' } })).status).toBe(412);
  expect((await fetch(url.replace(/Signature=./, 'Signature=x'))).status).toBe(403);
});

test('misbehaves only where the script says so', async () => {
  script(
    { point: 'rm', what: 'nothing-done', from: 1, times: 1 },
    { point: 'ls', what: 'web-page', from: 2, times: 1 },
  );
  expect((await call('DELETE', `${volume}/rm?file_path=%2Fa.txt`)).status).toBe(200);
  expect(await names()).toEqual(['a.txt']);
  expect(await (await call('GET', `${volume}/ls`)).text()).toContain('<!DOCTYPE html>');
  await call('DELETE', `${volume}/rm?file_path=%2Fa.txt`);
  expect(await names()).toEqual([]);
});

test('loses a reply after the work was done', async () => {
  script({ point: 'rm', what: 'cut-after', from: 1, times: 1 });
  await expect(call('DELETE', `${volume}/rm?file_path=%2Fa.txt`)).rejects.toThrow('fetch failed');
  expect(await names()).toEqual([]);
});

test('keeps the ETag of a file that its disk has damaged', async () => {
  const bytes = Buffer.from('0123456789');
  const file = { path: '/a.txt', bytes, modified: 1_700_000_000_000, etag: 'md5' as const };
  const etag = platform.store.volume('us-east-1')?.get('/a.txt')?.etag;
  const other = await platformOf({ regions: { 'us-east-1': [{ ...file, isRotten: true }] } });
  const found = other.store.volume('us-east-1')?.get('/a.txt');
  expect(found?.bytes.equals(bytes)).toBe(false);
  expect(found?.bytes.length).toBe(10);
  expect(found?.etag).toBe(etag);
});

test('notes which of the tokens a request came with', async () => {
  const other = await platformOf({ otherTokens: ['second'] });
  for (const token of ['second', 't', 'foreign']) {
    await fetch(`${other.url}${volume}/ls`, { headers: { authorization: `Bearer ${token}` } });
  }
  expect(other.seen.map(({ by, status }) => [by, status])).toEqual([
    [1, 200],
    [0, 200],
    [undefined, 401],
  ]);
});

test('returns endless pages if configured', async () => {
  const line = { logId: 'l-1', logLine: 'hello', timestamp: '2026-11-01T10:00:00Z' };
  const app = { name: 'web', fields: { id: 'p-chaos001-web' } };
  const other = await platformOf({ apps: [app], logs: [line], logsLie: 'repeats' });
  const path = `${other.url}/v2/projects/p-chaos001/apps/p-chaos001-web/logs`;
  const pages = [];
  for (const query of ['', '?nextToken=0']) {
    const reply = await fetch(path + query, { headers: { authorization: 'Bearer t' } });
    pages.push(await reply.json());
  }
  expect(pages[0]).toEqual({ logs: [line], nextPageToken: '0', hasMore: true });
  expect(pages[1]).toEqual(pages[0]);
});

/** Another platform for one test, in place of the usual one. */
async function platformOf(world: World): Promise<StrictPlatform> {
  await platform.close();
  platform = await new StrictPlatform({ token: 't', ...world }).start();
  return platform;
}

function call(method: string, path: string, body?: unknown): Promise<Response> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(platform.url + path, { method, headers: { authorization: 'Bearer t', ...type }, ...content });
}

async function begin(path: string, count: number) {
  const reply = await call('POST', `${volume}/cp/initialize`, { file_path: path, part_count: count });
  return (await reply.json()) as { upload_id: string; parts: { part_number: number; url: string }[] };
}

function complete(id: string, path: string, parts: unknown[]): Promise<Response> {
  return call('POST', `${volume}/cp/complete`, { upload_id: id, file_path: path, parts });
}

async function names(): Promise<string[]> {
  const entries = (await (await call('GET', `${volume}/ls`)).json()) as { name: string }[];
  return entries.map(({ name }) => name);
}

function script(...faults: Fault[]): void {
  platform.script(faults);
}
