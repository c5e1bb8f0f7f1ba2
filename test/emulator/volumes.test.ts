import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/index.ts';
import { newFolder, platform, speaking } from './support/platform.ts';

const volume = '/volumes/default';
const mebibyte = 1024 ** 2;

/** An emulator and functions to copy files to and from its volume. */
async function volumes(options: Parameters<typeof platform>[0] = {}) {
  const all = await platform(options);
  return { ...all, ...moving(all.emulator) };
}

function moving(emulator: Emulator) {
  const { ask, put } = speaking(emulator);
  const initialize = (file_path: string, part_count = 1, more: object = {}) =>
    ask('POST', `${volume}/cp/initialize`, { file_path, part_count, ...more });
  const complete = (upload_id: string, file_path: string, parts: object[], more: object = {}) =>
    ask('POST', `${volume}/cp/complete`, { upload_id, file_path, parts, ...more });
  const list = (dir?: string, region?: string) => ask('GET', `${volume}/ls${queryOf({ dir, region })}`);
  const link = async (file_path: string) => (await ask('GET', `${volume}/download${queryOf({ file_path })}`)).json.url;
  /** Initializes an upload, sends its parts, and returns the body that completes it. */
  const send = async (path: string, ...contents: Uint8Array[]) => {
    const { json } = await initialize(path, contents.length);
    const parts = [];
    for (const [index, content] of contents.entries()) {
      const { headers } = await put(json.parts[index].url, content);
      parts.push({ part_number: index + 1, etag: headers.get('etag') ?? '' });
    }
    return { id: json.upload_id as string, urls: json.parts.map(({ url }: { url: string }) => url), parts };
  };
  return {
    initialize,
    complete,
    list,
    link,
    remove: (file_path: string) => ask('DELETE', `${volume}/rm${queryOf({ file_path })}`),
    read: async (path: string, headers: Record<string, string> = {}) => fetch(await link(path), { headers }),
    send,
    upload: async (path: string, ...parts: Uint8Array[]) => {
      const sent = await send(path, ...parts);
      return complete(sent.id, path, sent.parts);
    },
  };
}

function queryOf(values: Record<string, string | undefined>): string {
  return `?${new URLSearchParams(Object.entries(values).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : [])))}`;
}

/** Of uploads that are not complete. */
const partsIn = (data: string) => readdirSync(join(data, 'storage/parts'));

const bytes = (text: string) => new TextEncoder().encode(text);
const md5 = (content: Uint8Array | Buffer) => createHash('md5').update(content).digest('hex');

describe('an upload', () => {
  test('adds the file when it is completed, not before', async () => {
    const { emulator, send, complete, list, read } = await volumes();
    const sent = await send('/models/a.bin', bytes('hello'));
    expect((await list('/models/')).json).toEqual([]);
    expect((await complete(sent.id, '/models/a.bin', sent.parts)).status).toBe(200);
    expect((await list('/models/')).json).toEqual([
      { name: 'a.bin', is_folder: false, size_bytes: 5, last_modified: '2026-11-20T09:30:00.000Z' },
    ]);
    expect(await (await read('/models/a.bin')).text()).toBe('hello');
    expect(emulator.calls.map((call) => call.endpoint)).toEqual([
      ...['initializeUpload', 'part', 'listFolder', 'completeUpload', 'listFolder', 'getDownloadLink', 'object'],
    ]);
  });

  test('in parts is read as one file, and its ETag has their number', async () => {
    const { upload, read } = await volumes();
    const [one, two] = [Buffer.alloc(5 * mebibyte, 'a'), Buffer.from('end')];
    await upload('/big', one, two);
    const answer = await read('/big');
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.concat([one, two]))).toBe(true);
    const etag = md5(Buffer.concat([Buffer.from(md5(one), 'hex'), Buffer.from(md5(two), 'hex')]));
    expect(answer.headers.get('etag')).toBe(`"${etag}-2"`);
  });

  test('replaces a file of that name, but not a folder', async () => {
    const { emulator, upload, initialize } = await volumes();
    emulator.volume().write('/a/b', 'before');
    await upload('/a/b', bytes('after'));
    expect(emulator.volume().text('/a/b')).toBe('after');
    expect(await initialize('/a')).toMatchObject({ status: 409, json: { message: '/a is a folder, not a file' } });
    expect(await initialize('/a/b/c')).toMatchObject({
      status: 409,
      json: { message: '/a/b is a file, not a folder' },
    });
    expect((await initialize('/a/')).status).toBe(400);
  });

  test('can be completed once, then it is not found', async () => {
    const { send, complete, put } = await volumes();
    const { id, parts, urls } = await send('/a', bytes('hello'));
    expect((await complete(id, '/a', parts)).status).toBe(200);
    expect(await complete(id, '/a', parts)).toMatchObject({ status: 404, json: { message: expect.any(String) } });
    await expect(put(urls[0], bytes('late'))).toAnswer(404, '<Code>NoSuchUpload</Code>');
  });

  test.each<[string, (parts: { part_number: number; etag: string }[]) => object[], string]>([
    ['a part is missing', (parts) => parts.slice(0, 1), 'InvalidPart'],
    ['parts are out of order', (parts) => [...parts].reverse(), 'InvalidPartOrder'],
    ['a part is named twice', ([one]) => [one, one] as object[], 'InvalidPartOrder'],
    ['an ETag is of something else', ([one, two]) => [one, { ...two, etag: '"0"' }] as object[], 'InvalidPart'],
    ['an ETag is empty', ([one, two]) => [one, { ...two, etag: '' }] as object[], 'InvalidPart'],
    ['a part before the last is under 5 MiB', (parts) => parts, 'EntityTooSmall'],
  ])('is refused if %s, and can be completed correctly afterwards', async (_, change, reason) => {
    const { send, complete, emulator } = await volumes();
    const { id, parts } = await send('/a', bytes('small'), bytes('smaller'));
    await expect(complete(id, '/a', change(parts))).toAnswer(400, reason);
    expect(emulator.volume().paths()).toEqual([]);
  });

  test('belongs to its path and its region', async () => {
    const { send, complete } = await volumes();
    const { id, parts } = await send('/a', bytes('hello'));
    expect((await complete(id, '/b', parts)).status).toBe(404);
    expect((await complete(id, '/a', parts, { region: 'global' })).status).toBe(404);
  });

  test('of ten thousand parts gets a distinct URL for each', async () => {
    const { initialize } = await volumes();
    const { json } = await initialize('/a', 10_000);
    expect(new Set(json.parts.map(({ url }: { url: string }) => url)).size).toBe(10_000);
    expect((await initialize('/a', 10_001)).status).toBe(400);
    expect((await initialize('/a', 0)).status).toBe(400);
  });
});

describe('a signed URL', () => {
  test('of a part expires after ten minutes, or after linkSeconds', async () => {
    for (const [linkSeconds, lasts] of [
      [undefined, 600],
      [3, 3],
    ] as const) {
      const { initialize, put, clock } = await volumes({ linkSeconds });
      const { url } = (await initialize('/a')).json.parts[0];
      clock.now += lasts * 1000;
      expect((await put(url, bytes('x'))).status).toBe(200);
      clock.now += 1;
      await expect(put(url, bytes('x'))).toAnswer(403, 'Request has expired');
    }
  });

  test.each([
    ['another part', (url: string) => url.replace('partNumber=1', 'partNumber=2')],
    ['another upload', (url: string) => url.replace(/uploadId=./, 'uploadId=x')],
    ['another file', (url: string) => url.replace(/us-east-1\/\w+/, 'us-east-1/Yg')],
    ['a longer life', (url: string) => url.replace('Expires=600', 'Expires=6000')],
  ])('of a part is not valid for %s', async (_, change) => {
    const { initialize, put } = await volumes();
    const { url } = (await initialize('/a')).json.parts[0];
    await expect(put(change(url), bytes('x'))).toAnswer(403, 'SignatureDoesNotMatch');
  });

  test.each([
    [411, { 'transfer-encoding': '' }],
    [501, { 'transfer-encoding': 'chunked' }],
    [400, { 'content-length': String(5 * 1024 ** 3 + 1) }],
    [400, { 'content-length': '1', authorization: 'Bearer x' }],
  ])('of a part gets %i when sent with %j', async (status, headers) => {
    const { initialize, list } = await volumes();
    const sent = request((await initialize('/a')).json.parts[0].url, { method: 'PUT' }).on('error', () => {});
    sent.removeHeader('transfer-encoding');
    for (const [name, value] of Object.entries(headers)) if (value) sent.setHeader(name, value);
    sent.flushHeaders();
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(status);
    sent.destroy();
    expect((await list()).json).toEqual([]);
  });

  test('is for one method', async () => {
    const { emulator, link, initialize, put } = await volumes();
    emulator.volume().write('/a', 'x');
    const download = await link('/a');
    expect((await put(download, bytes('y'))).status).toBe(403);
    expect((await fetch(download, { method: 'HEAD' })).status).toBe(403);
    expect((await fetch((await initialize('/a')).json.parts[0].url)).status).toBe(405);
    expect(emulator.volume().text('/a')).toBe('x');
  });
});

describe('a folder', () => {
  test('lists one level, folders first, then by name', async () => {
    const { emulator, list } = await volumes();
    for (const path of ['/b.txt', '/a.txt', '/z/one', '/z/deep/two', '/m/one', '/B.txt']) {
      emulator.volume().write(path, path);
    }
    expect((await list()).json.map(({ name }: { name: string }) => name)).toEqual([
      ...['m/', 'z/', 'B.txt', 'a.txt', 'b.txt'],
    ]);
    for (const dir of ['/z', '/z/', 'z', 'z/']) {
      expect((await list(dir)).json).toMatchObject([
        { name: 'deep/', is_folder: true, size_bytes: 0 },
        { name: 'one', is_folder: false, size_bytes: 6 },
      ]);
    }
  });

  test('that does not exist or is a file has no entries, as on the platform', async () => {
    const { emulator, list } = await volumes();
    expect(await list()).toMatchObject({ status: 200, json: [] });
    emulator.volume().write('/a', 'x');
    for (const dir of ['/nothing/', '/a', '/a/b/']) {
      expect(await list(dir)).toMatchObject({ status: 200, json: [] });
    }
  });
});

test.each([
  ['255 bytes', `/${'x'.repeat(255)}`],
  ['a backslash and a colon', '/C:\\a'],
  ['spaces, percent signs and question marks', '/a b/100%2F?x=#y&+'],
  ['a newline and an escape', '/a\n\u001b[31m'],
])('a name with %s is stored unchanged', async (_, path) => {
  const { emulator, upload, read, list } = await volumes({ data: newFolder() });
  expect((await upload(path, bytes('content'))).status).toBe(200);
  expect(emulator.volume().paths()).toEqual([path]);
  expect(await (await read(path)).text()).toBe('content');
  const first = path.split('/')[1];
  expect((await list()).json[0].name.replace(/\/$/, '')).toBe(first);
});

test.each([
  ['/a//b', 400, 'contains an empty name'],
  ...['/a/../b', '/..', '/./a', '.', '/a\0b', `/${'x'.repeat(256)}`, '/\ud800'].map(
    (path): [string, number, string] => [path, 400, 'no file can have'],
  ),
  [`/${'x'.repeat(1025)}`, 400, 'longer than 1024 bytes'],
])('the path %s is refused', async (path, status, said) => {
  const { initialize } = await volumes();
  expect(await initialize(path)).toMatchObject({ status, json: { message: expect.stringContaining(said) } });
});

describe('a download', () => {
  const content = '0123456789';

  async function download(headers: Record<string, string> = {}) {
    const all = await volumes();
    all.emulator.volume().write('/a', content, Date.UTC(2026, 10, 1));
    return all.read('/a', headers);
  }

  test('of a whole file has its headers', async () => {
    const answer = await download();
    expect([answer.status, await answer.text()]).toEqual([200, content]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-length': '10',
      'accept-ranges': 'bytes',
      'last-modified': 'Sun, 01 Nov 2026 00:00:00 GMT',
      etag: expect.stringMatching(/^"[0-9a-f]{32}-1"$/),
    });
  });

  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', content, 'bytes 0-9/10'],
  ])('of %s returns the range', async (range, text, told) => {
    const answer = await download({ range });
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([206, text, told]);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
  });

  test.each(['bytes=0-1,4-5', 'bytes=5-2', 'lines=1-2', 'bytes=-', 'bytes=x-y'])(
    'of %s returns the whole file',
    async (range) => {
      const answer = await download({ range });
      expect([answer.status, await answer.text()]).toEqual([200, content]);
    },
  );

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('of %s is a 416 with the size', async (range) => {
    const answer = await download({ range });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  });

  test('of a range with a stale If-Range returns the whole new file', async () => {
    const { emulator, read } = await volumes();
    emulator.volume().write('/a', 'before');
    const etag = (await read('/a')).headers.get('etag') ?? '';
    const resume = { range: 'bytes=2-', 'if-range': etag };
    expect(await (await read('/a', resume)).text()).toBe('fore');
    emulator.volume().write('/a', 'afterwards');
    const answer = await read('/a', resume);
    expect([answer.status, await answer.text()]).toEqual([200, 'afterwards']);
    expect((await read('/a', { range: 'bytes=2-', 'if-match': etag })).status).toBe(412);
  });

  test('of a missing file is a 404, with or without a URL', async () => {
    const { emulator, ask, link, remove } = await volumes();
    emulator.volume().write('/d/a', 'x');
    for (const path of ['/none', '/d', '/d/']) {
      expect((await ask('GET', `${volume}/download${queryOf({ file_path: path })}`)).status).toBe(404);
    }
    const url = await link('/d/a');
    await remove('/d/a');
    await expect(fetch(url)).toAnswer(404, '<Code>NoSuchKey</Code>');
  });

  test('that has started completes although the file is deleted', async () => {
    const data = newFolder();
    const { upload, read, remove } = await volumes({ data });
    const parts = [Buffer.alloc(6 * mebibyte, 'a'), Buffer.alloc(6 * mebibyte, 'b')];
    await upload('/big', ...parts);
    const answer = await read('/big');
    await remove('/big');
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.concat(parts))).toBe(true);
    expect(partsIn(data)).toEqual([]);
  });
});

describe('deleting', () => {
  test.each([
    ['/d/a', ['/d/b/c', '/x']],
    ['d/a', ['/d/b/c', '/x']],
    ['/d/b/', ['/d/a', '/x']],
    ['/d/', ['/x']],
    ['/', []],
  ])('%s leaves %j', async (path, left) => {
    const { emulator, remove } = await volumes();
    for (const name of ['/d/a', '/d/b/c', '/x']) emulator.volume().write(name, name);
    const answer = await remove(path);
    expect([answer.status, answer.text]).toEqual([200, `${path} deleted`]);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(emulator.volume().paths()).toEqual(left);
  });

  test.each(['/none', '/none/', '/d', '/x/'])(
    '%s is a 404: a folder needs its slash, a file has none',
    async (path) => {
      const { emulator, remove } = await volumes();
      for (const name of ['/d/a', '/x']) emulator.volume().write(name, name);
      expect(await remove(path)).toMatchObject({ status: 404, json: { message: `${path} not found` } });
      expect(emulator.volume().paths()).toHaveLength(2);
    },
  );

  test('without a path is refused', async () => {
    const { emulator, ask } = await volumes();
    emulator.volume().write('/x', 'x');
    expect((await ask('DELETE', `${volume}/rm?file_path=`)).status).toBe(400);
    expect(emulator.volume().paths()).toEqual(['/x']);
  });

  test('frees disk space', async () => {
    const data = newFolder();
    const { emulator, upload, remove } = await volumes({ data });
    await upload('/a', bytes('x'));
    await upload('/a', bytes('y'));
    expect(partsIn(data)).toEqual([]);
    await remove('/a');
    expect(readdirSync(emulator.volume().path)).toEqual([]);
  });
});

test('each region has its own volume, by default us-east-1', async () => {
  const { emulator, list, initialize, ask } = await volumes();
  emulator.volume('global').write('/a', 'x');
  expect((await list('/')).json).toEqual([]);
  expect((await list('/', 'us-east-1')).json).toEqual([]);
  expect((await list('/', 'global')).json).toHaveLength(1);
  expect((await list('/', 'mars')).status).toBe(400);
  expect((await initialize('/a', 1, { region: 'mars' })).status).toBe(400);
  expect((await ask('GET', '/volumes/other/ls')).status).toBe(404);
});

test('a volume can grow from 50 to 1000 GB, but not shrink', async () => {
  const { ask } = await volumes();
  const resize = async (size: number, name = 'default-us-east-1') =>
    (await ask('PATCH', `/volumes/${name}/resize`, { newSizeGb: size })).status;
  const size = async () => (await ask('GET', '/volumes')).json[0].sizeGb;
  expect(await size()).toBe(50);
  expect([await resize(200), await resize(200), await resize(100), await resize(1001), await resize(49)]).toEqual([
    ...[200, 200, 400, 400, 400],
  ]);
  expect(await size()).toBe(200);
  expect([await resize(60, 'default-global'), await resize(60, 'other-global'), await resize(60, 'default')]).toEqual([
    ...[200, 404, 404],
  ]);
});

test('with a data folder files and sizes survive a restart; uploads in progress end, and leave nothing', async () => {
  const data = newFolder();
  const first = await volumes({ data });
  await first.upload('/models/a', bytes('kept'));
  await first.upload('/gone', bytes('gone'));
  await first.remove('/gone');
  await first.ask('PATCH', '/volumes/default-us-east-1/resize', { newSizeGb: 80 });
  first.emulator.volume().makeFolder('/empty');
  const under = await first.send('/later', bytes('later'));
  await first.emulator.close();

  const second = await volumes({ data });
  expect(second.emulator.volume().paths()).toEqual(['/empty/', '/models/a']);
  expect(await (await second.read('/models/a')).text()).toBe('kept');
  expect((await second.complete(under.id, '/later', under.parts)).status).toBe(404);
  expect((await second.ask('GET', '/volumes')).json).toMatchObject([{ sizeGb: 80, usedBytes: 4 }]);
  expect(existsSync(`${data}/storage/parts`)).toBe(false);
  second.emulator.reset();
  await second.emulator.close();

  expect((await volumes({ data })).emulator.volume().paths()).toEqual([]);
});
