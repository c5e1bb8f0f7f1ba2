import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { newFolder, platform } from './support/platform.ts';
import { packed, zip } from './support/zip.ts';

const archive = zip({ 'main.py': 'print(1)\n' });

async function link(options = {}) {
  const all = await platform(options);
  const { json } = await all.ask('POST', '/apps', { name: 'web' });
  const build = `/apps/p-12345678-web/builds/${json.buildId}`;
  return {
    ...all,
    url: json.uploadUrl as string,
    statusOfBuild: async () => (await all.ask('GET', build)).json.status,
  };
}

test('an upload needs no token, and its ETag is the MD5 in quotes', async () => {
  const { url, put, emulator } = await link();
  const response = await put(url, archive, { 'content-type': 'application/zip' });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(response.headers.get('etag')).toBe(`"${createHash('md5').update(archive).digest('hex')}"`);
  expect(emulator.calls.at(-1)).toMatchObject({ endpoint: 'upload', hasAuthorization: false, status: 200 });
});

test('a large archive is stored whole, and built after the reply', async () => {
  const { url, put, statusOfBuild } = await link();
  const large = packed([{ name: 'main.py' }, { name: 'weights.bin', content: randomBytes(17 << 20) }]);
  const response = await put(url, large);
  expect(response.headers.get('etag')).toBe(`"${createHash('md5').update(large).digest('hex')}"`);
  await expect.poll(statusOfBuild).toBe('success');
});

test.each([
  ['another file', (url: string) => url.replace('/web/', '/other/'), 'SignatureDoesNotMatch'],
  ['a longer life', (url: string) => url.replace('Expires=600', 'Expires=900'), 'SignatureDoesNotMatch'],
  ['no signature', (url: string) => url.replace(/&X-Amz-Signature=.*/, ''), 'AccessDenied'],
  ['an odd signature', (url: string) => url.replace(/Signature=.*/, 'Signature=é'), 'SignatureDoesNotMatch'],
])('a URL changed to have %s is refused', async (_, change, code) => {
  const { url, put } = await link();
  await expect(put(change(url), archive)).toAnswer(403, `<Code>${code}</Code>`);
});

test('an archive sent twice is built once', async () => {
  const { url, put, emulator, statusOfBuild } = await link();
  await put(url, archive);
  emulator.fail('build', 'build_failure');
  expect((await put(url, archive)).status).toBe(200);
  expect(await statusOfBuild()).toBe('success');
});

test('an incomplete upload leaves nothing behind and starts no build', async () => {
  const data = newFolder();
  const { url, emulator, statusOfBuild } = await link({ data });
  const sent = request(url, { method: 'PUT', headers: { 'content-length': 1_000_000 } }).on('error', () => {});
  sent.write(Buffer.alloc(500));
  await expect.poll(() => filesIn(data)).toEqual([expect.stringMatching(/\.gantry-[0-9a-f]{16}-0$/)]);
  sent.destroy();
  await expect.poll(() => filesIn(data)).toEqual([]);
  expect(await statusOfBuild()).toBe('pending');
  expect(emulator.calls.find((call) => call.endpoint === 'upload')?.status).toBeUndefined();
});

function filesIn(data: string): string[] {
  return readdirSync(`${data}/storage`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}
