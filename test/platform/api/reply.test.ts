import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import type { GantryError } from '../../../src/kernel/errors.ts';
import { callRaw, createApi } from '../../../src/platform/api/client.ts';
import { createPooledSend } from '../../../src/platform/api/dispatch.ts';
import type { HttpReply } from '../../../src/platform/api/http-reply.ts';
import { readReply } from '../../../src/platform/api/reply.ts';
import { type Send, sendDirectly } from '../../../src/platform/api/transport.ts';
import { endpoint, type ReplyFormat } from '../../../src/platform/contract/endpoint.ts';
import { listOf, objectOf, unreadableItems } from '../../../src/platform/contract/lists.ts';
import { textOrEmpty } from '../../../src/platform/contract/scalars.ts';
import { apiOptions } from '../../support/api-options.ts';
import { serving } from '../../support/listening.ts';

const items = listOf(objectOf({ id: textOrEmpty }), 'id');
const portal = '<!DOCTYPE html><html><head><title>\n Sign  in to\tGuest </title></head><body>hi</body></html>';
const html = { 'content-type': 'text/html; charset=utf-8' };

const read = (reply: ReplyFormat, body: string, more: Partial<HttpReply> = {}): unknown =>
  readReply(endpoint('DELETE /x', { reply }), { status: 200, headers: {}, ...more, body, host: 'api.test' });

function failureOf(read: () => unknown): GantryError {
  try {
    read();
  } catch (error) {
    return error as GantryError;
  }
  throw new Error('no failure');
}

describe('a web page', () => {
  const pages = [
    portal,
    `\ufeff \r\n${portal}`,
    '<html>',
    '<HTML lang="en">',
    '<script>location="https://login.test"</script>',
    '<!-- proxy --><p>blocked',
  ];

  test.each(pages)('is not accepted in place of JSON, text or a confirmation: %j', (page) => {
    for (const promised of [items, 'text', 'nothing'] as const) {
      for (const status of [200, 201, 202]) {
        const failure = failureOf(() => read(promised, page, { status }));
        expect(failure).toMatchObject({ exit: 'unavailable', facts: { status, retryable: true } });
        expect(failure.message).toContain(`instead of a reply from api.test (HTTP ${status})`);
      }
    }
  });

  test('is named by its title, and recognized under another content type', () => {
    expect(failureOf(() => read('nothing', portal)).message).toMatch(
      /^received a web page \("Sign in to Guest"\) instead of/,
    );
    expect(failureOf(() => read('nothing', 'Welcome! <a href="/">log in</a>', { headers: html })).exit).toBe(
      'unavailable',
    );
  });

  test.each([
    ['File deleted', 'File deleted'],
    ['', ''],
    ['{"message":"<b>done</b>"}', '<b>done</b>'],
    ['kept 3 < 4 files', 'kept 3 < 4 files'],
  ])('is not assumed from the content type alone: %j', (body, said) => {
    expect(read('text', body, { headers: html })).toBe(said);
    expect(read('nothing', body, { headers: html })).toBeUndefined();
  });

  test('is accepted as the response of an app', () => {
    expect(read('anything', portal)).toBe(portal);
  });

  test('is not accepted as the reply to a raw call', async () => {
    const url = await serving((_, response) => response.end(portal));
    const call = { method: 'POST', path: '/x', query: [], body: undefined };
    await expect(callRaw(call, apiOptions(url))).rejects.toMatchObject({ exit: 'unavailable' });
  });

  test.each<['GET' | 'POST', number]>([
    ['GET', 5],
    ['POST', 1],
  ])('to a %s request causes %i attempts', async (method, calls) => {
    let seen = 0;
    const send: Send = async () => {
      seen++;
      return { status: 200, headers: {}, body: portal };
    };
    const call = createApi({ ...apiOptions('http://127.0.0.1'), send });
    await expect(call(endpoint(`${method} /x`, { reply: 'nothing' }), {})).rejects.toThrow('a web page');
    expect(seen).toBe(calls);
  });
});

describe('a confirmation', () => {
  test.each([
    ['', ''],
    ['OK', 'OK'],
    ['"Build cancelled"', 'Build cancelled'],
    ['{"message":"File deleted"}', 'File deleted'],
    ['{"id":1}', '{"id":1}'],
    ['{"error":null,"message":"done"}', 'done'],
    ['{"success":true,"errors":[]}', '{"success":true,"errors":[]}'],
    ['\ufeffOK', 'OK'],
    ['null', 'null'],
  ])('may be %j', (body, said) => {
    expect(read('text', body)).toBe(said);
    expect(read('nothing', body)).toBeUndefined();
  });

  test.each([
    ['{"error":"no such file"}', 'no such file'],
    ['{"error":{"code":7}}', '{"code":7}'],
    ['{"success":false,"message":"still in use"}', 'still in use'],
    ['{"errors":["a"],"ok":true}', '["a"]'],
    ['{"ok":false}', '{"ok":false}'],
  ])('is not an error with status 200: %s', (body, message) => {
    for (const promised of ['text', 'nothing'] as const) {
      expect(failureOf(() => read(promised, body))).toMatchObject({ exit: 'failed', message });
    }
  });

  test.each([['x'.repeat(5_000)], ['\u0000\u0001PK'], ['\u001f\ufffd\u0008\u0000'], ['<?xml version="1.0"?><Error/>']])(
    'is not %j',
    (body) => {
      expect(failureOf(() => read('nothing', body))).toMatchObject({ exit: 'unavailable' });
    },
  );
});

describe('JSON', () => {
  test.each(['[{"id":"a"', '[{"id":"a"}', '{"id', '["a', '[{"id":"a"},'])(
    'that is truncated counts as a lost reply: %s',
    (body) => {
      expect(failureOf(() => read(items, body))).toMatchObject({ exit: 'unavailable', mayHaveArrived: true });
    },
  );

  test.each([
    ['', 'the reply of api.test is empty (HTTP 200)'],
    ['upstream connect error', 'the reply of api.test is not JSON (HTTP 200)'],
    ['\u001f\ufffd\u0008', 'the reply of api.test is not JSON (HTTP 200)'],
  ])('is not %j', (body, message) => {
    expect(failureOf(() => read(items, body))).toMatchObject({ exit: 'unavailable', message });
  });

  test('of another shape exits with 70 and names the field', () => {
    expect(failureOf(() => read(items, '{"apps":[]}'))).toMatchObject({ exit: 'bug' });
    expect(failureOf(() => read(objectOf({ inner: items }), '{"inner":"none"}')).message).toBe(
      'DELETE /x returned an unexpected reply: inner: is not a list',
    );
  });

  test.each([
    ['null', []],
    ['\ufeff[{"id":"a"}]', [{ id: 'a' }]],
  ])('is read from %j', (body, value) => {
    expect(read(items, body)).toEqual(value);
  });

  test.each([201, 202, 203, 204, 205, 206, 226, 299])('does not count with status %d', (status) => {
    const list = endpoint('GET /x', { reply: items });
    for (const body of ['[]', '']) {
      const failure = failureOf(() => readReply(list, { status, headers: {}, body, host: 'api.test' }));
      expect(failure).toMatchObject({ exit: 'unavailable', facts: { status, retryable: true } });
    }
  });

  test('may be absent where the contract says so, if the reply cannot have been cut off', () => {
    const list = endpoint('GET /x', { reply: items, mayBeEmpty: true });
    const reply = { status: 204, headers: {}, body: '', host: 'api.test' };
    expect(readReply(list, reply)).toEqual([]);
    expect(readReply(list, { ...reply, status: 200, headers: { 'content-length': '0' } })).toEqual([]);
    expect(failureOf(() => readReply(list, { ...reply, status: 200 })).message).toContain('is empty');
  });
});

describe('a compressed reply', () => {
  const encodings: [string, (text: string) => Buffer][] = [
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['gzip, br', (text) => brotliCompressSync(gzipSync(text))],
  ];
  const ways: [string, () => Send][] = [
    ['node:http', () => sendDirectly],
    ['undici', () => createPooledSend(new Agent())],
  ];
  const cases = ways.flatMap(([way, send]) => encodings.map(([name, encode]) => [way, name, send, encode] as const));

  test.each(cases)('over %s in %s is read, although identity was requested', async (_, encoding, send, encode) => {
    let asked: string | undefined;
    const url = await serving((request, response) => {
      asked = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-encoding': encoding }).end(encode('[{"id":"é"}]'));
    });
    const api = createApi({ ...apiOptions(url), send: send() });
    expect(await api(endpoint('GET /x', { reply: items }), {})).toEqual([{ id: 'é' }]);
    expect(asked).toBe('identity');
  });

  test.each(ways)('over %s keeps the message of an error', async (_, send) => {
    const url = await serving((__, response) =>
      response.writeHead(409, { 'content-encoding': 'gzip' }).end(gzipSync('{"message":"name is taken"}')),
    );
    const api = createApi({ ...apiOptions(url), send: send() });
    await expect(api(endpoint('POST /x', { reply: 'nothing' }), {})).rejects.toThrow('name is taken');
  });

  test.each([
    ['zstd', Buffer.from('whatever'), 'has the encoding "zstd", which is not supported'],
    ['gzip', Buffer.from('[{"id":"a"}]'), 'is compressed and damaged'],
    ['gzip', gzipSync('[{"id":"a"}]').subarray(0, 12), 'is compressed and damaged'],
    ['gzip', Buffer.concat(Array(257).fill(gzipSync(Buffer.alloc(2 ** 20)))), 'is larger than'],
  ])('in %s that cannot be decompressed exits with 69', async (encoding, body, message) => {
    const url = await serving((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
    const call = createApi(apiOptions(url))(endpoint('POST /x', { reply: items }), {});
    await expect(call).rejects.toMatchObject({ exit: 'unavailable', message: expect.stringContaining(message) });
  });
});

test('reports unreadable items with their call', async () => {
  const url = await serving((_, response) => response.end('[{"id":"a"},null,{"name":"b"}]'));
  const found: unknown[] = [];
  const api = createApi({ ...apiOptions(url), onUnreadable: (route, at, unread) => found.push([route, at, unread]) });
  const answer = await api(endpoint('GET /x', { reply: items }), {});
  expect(answer).toEqual([{ id: 'a' }, { id: '', name: 'b' }]);
  expect(found).toEqual([['GET /x', `${url}/x`, unreadableItems(answer)]]);
});
