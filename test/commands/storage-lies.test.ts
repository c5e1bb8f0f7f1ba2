import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { newFolder, noise, gantry as run } from '../support/index.ts';
import { type Storage, type StorageAnswer, send, storage } from '../support/storage.ts';

/** Three parts of the least length there is. */
const [old, fresh] = [noise(11 * 2 ** 20, 'old'), noise(11 * 2 ** 20, 'fresh')];
const parts = ['--part-size', '5MiB'];
const oldDate = 'Thu, 01 Jan 2026 00:00:00 GMT';

let here: string;

beforeEach(() => {
  here = newFolder();
});

const target = () => join(here, 'a');
const gantry = ({ env }: Storage, words: string[], silenceMs = 60_000) =>
  run(words, { cwd: here, io: { silenceMs }, env: { ...env, GANTRY_CONFIG_DIR: join(here, '.home') } });
const copied = (files: Storage, ...more: string[]) => gantry(files, ['cp', ':/a', 'a', ...parts, ...more]);

function expectWhole(content: Buffer): void {
  expect(readFileSync(target()).equals(content)).toBe(true);
}

describe('content that is replaced between two ranges is never mixed', () => {
  test('but copied again', async () => {
    const files = await storage({ name: 'a', bytes: old.length }, (asked) =>
      asked.count === 1 ? send(asked, old, { etag: '"1"' }) : send(asked, fresh, { etag: '"2"' }),
    );
    const { code } = await copied(files);
    expect(code).toBe(0);
    expectWhole(fresh);
  });

  test.each<[string, Record<string, string>]>([
    ['no ETag', { 'last-modified': oldDate }],
    ['a weak one', { etag: 'W/"1"', 'last-modified': oldDate }],
  ])('with %s, it is not copied', async (_, headers) => {
    const files = await storage({ name: 'a', bytes: old.length }, (asked) => send(asked, old, headers));
    const { code, stderr } = await copied(files);
    expect([code, existsSync(target())]).toEqual([69, false]);
    expect(stderr).toContain('the storage sent no ETag');
  });

  test('if all of its parts are requested at once', async () => {
    let waiting: (() => void)[] = [];
    const files = await storage({ name: 'a', bytes: old.length }, (asked) => {
      const { count } = asked;
      const etag = `"${count}"`;
      waiting.push(() => send(asked, count % 2 ? old : fresh, { etag }));
      if (count > 1 && waiting.length < 2) return;
      for (const answer of waiting) answer();
      waiting = [];
    });
    expect(await gantry(files, ['cp', ':/a', 'a', ...parts], 300)).toExit(1, 'the file changed during the copy');
    expect(existsSync(target())).toBe(false);
  });
});

test('requests the first ranges at once, without waiting for the version that the first response tells', async () => {
  const held: (() => void)[] = [];
  const files = await storage({ name: 'a', bytes: old.length }, (asked) => {
    held.push(() => send(asked, old, { etag: '"1"' }));
    if (held.length === 3) for (const answer of held) answer();
  });
  expect((await copied(files)).code).toBe(0);
  expectWhole(old);
});

describe('a file of another length than listed is not accepted', () => {
  const chunked = (bytes: Buffer): StorageAnswer => {
    return ({ response }) => void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(bytes);
  };

  test.each<[string, StorageAnswer, RegExp]>([
    ['longer, in chunks', chunked(Buffer.from('123456')), /it is longer than in the listing/],
    ['longer, with its length', (asked) => send(asked, Buffer.from('123456')), /its size differs from the listing/],
    ['shorter, with its length', (asked) => send(asked, Buffer.from('1234')), /its size differs from the listing/],
    [
      'longer, in a chunk that comes later',
      ({ response }) => {
        response.writeHead(200, { 'transfer-encoding': 'chunked' });
        response.write('12345', () => setImmediate(() => response.end('6')));
      },
      /it is longer than in the listing/,
    ],
  ])('%s', async (_, answer, said) => {
    const files = await storage({ name: 'a', bytes: 5 }, answer);
    expect(await copied(files)).toExit(1, said);
    expect(existsSync(target())).toBe(false);
    expect(await gantry(files, ['cat', ':/a'])).toExit(1, said);
  });
});

describe('a reply that is not the requested range', () => {
  const headers = { etag: '"1"' };
  const size = old.length;

  test.each<[string, Record<string, string>]>([
    ['begins elsewhere', { 'content-range': `bytes 1-${5 * 2 ** 20}/${size}` }],
    ['ends elsewhere', { 'content-range': `bytes 0-${5 * 2 ** 20 - 2}/${size}` }],
    ['is of a file of another size', { 'content-range': `bytes 0-${5 * 2 ** 20 - 1}/${size + 1}` }],
  ])('%s: the file is not copied', async (_, lie) => {
    const files = await storage({ name: 'a', bytes: size }, (asked) => send(asked, old, { ...headers, ...lie }));
    const { code } = await copied(files);
    expect(code).toBe(1);
    expect(existsSync(target())).toBe(false);
  });

  test.each(
    Object.entries<StorageAnswer>({
      'has no Content-Range': ({ response }) => void response.writeHead(206, headers).end(old.subarray(0, 5 * 2 ** 20)),
      'has several parts': ({ response }) =>
        void response.writeHead(206, { ...headers, 'content-type': 'multipart/byteranges; boundary=x' }).end('--x--'),
      'has no total size': (asked) => send(asked, old, { ...headers, 'content-range': `bytes 0-${5 * 2 ** 20 - 1}/*` }),
      'is the whole file': ({ response }) => send({ response, range: undefined }, old, headers),
    }),
  )('%s: the file is not copied', async (_, lie) => {
    const files = await storage({ name: 'a', bytes: size }, lie);
    const { code, stderr } = await copied(files);
    expect([code, existsSync(target())]).toEqual([1, false]);
    expect(stderr).toContain('the storage sent another part of the file than requested');
  });

  test('is a part of a file that was requested whole: the file is not copied', async () => {
    const files = await storage({ name: 'a', bytes: 5 }, ({ response }) => {
      response.writeHead(206, { ...headers, 'content-range': 'bytes 0-4/5' }).end('12345');
    });
    expect((await copied(files)).code).toBe(1);
  });
});

test('a file that was stored encoded is copied as it is stored', async () => {
  const packed = gzipSync('12345');
  const files = await storage({ name: 'a', bytes: packed.length }, (asked) =>
    send(asked, packed, { 'content-encoding': 'gzip', etag: '"1"' }),
  );
  expect((await copied(files)).code).toBe(0);
  expectWhole(packed);
});

describe('a connection that breaks', () => {
  const breaks = (content: Buffer, headers: Record<string, string>): StorageAnswer => {
    return ({ response }) => {
      response.writeHead(200, { ...headers, 'content-length': content.length });
      response.write(content.subarray(0, content.length / 2), () => response.destroy());
    };
  };

  test('cat does not mix versions', async () => {
    const files = await storage({ name: 'a', bytes: old.length }, (asked) =>
      asked.count === 1 ? breaks(old, { etag: '"1"' })(asked) : send(asked, fresh, { etag: '"2"' }),
    );
    const { code, bytes } = await gantry(files, ['cat', ':/a']);
    expect(code).toBe(1);
    expect(old.subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(bytes.length).toBeLessThan(old.length);
  });

  test('cat resumes in the middle', async () => {
    const files = await storage({ name: 'a', bytes: old.length }, (asked) =>
      asked.count === 1 ? breaks(old, { etag: '"1"' })(asked) : send(asked, old, { etag: '"1"' }),
    );
    const { code, bytes } = await gantry(files, ['cat', ':/a']);
    expect(code).toBe(0);
    expect(bytes.equals(old)).toBe(true);
  });
});

test('a file that is listed without its size is empty', async () => {
  const files = await storage({ name: 'a', bytes: undefined }, (asked) => send(asked, Buffer.alloc(0)));
  expect((await copied(files)).code).toBe(0);
  expectWhole(Buffer.alloc(0));
});

describe('a web page of the size of the file', () => {
  const page = Buffer.from('<!doctype html><title>Log in to the network</title>');
  const content = noise(page.length, 'content');
  const html = { 'content-type': 'text/html; charset=utf-8' };

  test('is not the file: it is requested again', async () => {
    const files = await storage({ name: 'a', bytes: page.length }, (asked) =>
      asked.count === 1 ? send(asked, page, html) : send(asked, content, { etag: '"1"' }),
    );
    expect((await copied(files)).code).toBe(0);
    expectWhole(content);
  });

  test('fails the copy if nothing else is sent', async () => {
    const files = await storage({ name: 'a', bytes: page.length }, (asked) => send(asked, page, html));
    const { code, stderr } = await copied(files);
    expect([code, existsSync(target())]).toEqual([69, false]);
    expect(stderr).toContain('received a web page instead of the file');
  });

  test('is the file if the storage identifies it as one', async () => {
    const files = await storage({ name: 'a', bytes: page.length }, (asked) =>
      send(asked, page, { ...html, 'last-modified': oldDate }),
    );
    expect((await copied(files)).code).toBe(0);
    expectWhole(page);
  });
});
