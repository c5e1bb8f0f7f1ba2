import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type StreamedRequest, sendStreamed } from '../../../src/platform/api/streamed.ts';
import { ConnectionError } from '../../../src/platform/api/transport.ts';
import { appServer } from '../../support/app-server.ts';
import { listening } from '../../support/listening.ts';
import { joiningProxy } from '../../support/proxy.ts';

describe.each([
  ['straight', async () => undefined],
  ['through a proxy', async () => (await joiningProxy()).settings],
])('a call %s', (_, proxyOf) => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s sends a body of any length', async (method) => {
    const { url, seen } = await appServer((response) => response.end('fine'));
    await received({ method, url, body: { length: 6, read: pieces } });
    await received({ method, url, body: { length: undefined, read: pieces } });
    await received({ method, url, body: Buffer.from('in one') });
    expect(seen.map(({ body, headers }) => [String(body), headers['content-length']])).toEqual([
      ['onetwo', '6'],
      ['onetwo', undefined],
      ['in one', '6'],
    ]);
  });

  test.each(['GET', 'HEAD', 'POST', 'DELETE'])('%s sends no body', async (method) => {
    const { url, seen } = await appServer((response) => response.end('fine'));
    const { text } = await received({ method, url });
    expect([text, String(seen[0]?.body)]).toEqual([method === 'HEAD' ? '' : 'fine', '']);
  });

  test('has every header of the response, also repeated ones', async () => {
    const { url } = await appServer((response) =>
      response.writeHead(201, 'Made', ['X-Run', 'r-1', 'X-Part', 'a', 'x-part', 'b', 'Set-Cookie', 'c=d']).end(),
    );
    const { status, statusText, headers } = await received({ url });
    expect([status, statusText]).toEqual([201, 'Made']);
    expect(headers).toMatchObject({ 'x-run': 'r-1', 'x-part': ['a', 'b'] });
    expect([headers['set-cookie']].flat()).toEqual(['c=d']);
  });

  test.each([
    ['shorter', 7],
    ['longer', 5],
  ])('fails at once if the body is %s than declared', async (_, length) => {
    const { url, seen } = await appServer((response) => response.end());
    await expect(received({ url, body: { length, read: pieces } })).rejects.toThrow(
      /^the connection to .* failed: .*length/,
    );
    expect(seen).toEqual([]);
  });

  test('fails with the reason if the source of the body fails', async () => {
    const { url } = await appServer((response) => response.end());
    async function* broken() {
      yield Buffer.from('one');
      throw new Error('the disk is gone');
    }
    await expect(received({ url, body: { length: undefined, read: broken } })).rejects.toThrow('the disk is gone');
  });

  test('fails if the server does not accept the body', async () => {
    const url = await conversing(() => {});
    async function* endless() {
      for (;;) yield Buffer.alloc(2 ** 20);
    }
    const sent = received({ url, body: { length: undefined, read: endless }, silenceMs: 50 });
    await expect(sent).rejects.toThrow('no data for 0.05 s');
  });

  test('accepts a response before the end of the body', async () => {
    const url = await conversing((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 6\r\n\r\nenough'));
    });
    let ended = false;
    async function* patient() {
      try {
        yield Buffer.from('one');
        await new Promise(() => {});
      } finally {
        ended = true;
      }
    }
    const reply = await received({ url, body: { length: 100, read: patient } });
    expect([reply.status, reply.text, ended]).toEqual([413, 'enough', false]);
  });

  test('throws the reason of the signal, before and within the response', async () => {
    const reason = new Error('stop');
    const before = new AbortController();
    const { url } = await appServer(() => before.abort(reason));
    await expect(received({ url, signal: before.signal })).rejects.toBe(reason);
    const during = new AbortController();
    const slow = await appServer((response) => response.write('some', () => during.abort(reason)));
    await expect(received({ url: slow.url, signal: during.signal })).rejects.toBe(reason);
  });

  test('close ends the connection before the end of the response', async () => {
    let cut = (_: boolean) => {};
    const wasCut = new Promise<boolean>((resolve) => {
      cut = resolve;
    });
    const { url } = await appServer((response) => {
      response.on('close', () => cut(!response.writableFinished)).write('some');
    });
    const reply = await send({ url });
    expect(String((await reply.chunks.next()).value)).toBe('some');
    await reply.close();
    expect(await wasCut).toBe(true);
    await expect(reply.chunks.next()).rejects.toBeInstanceOf(ConnectionError);
  });

  async function send({ url, ...given }: { url: string } & Omit<Partial<StreamedRequest>, 'url'>) {
    const proxy = await proxyOf();
    // What is on this machine is not asked of a proxy: by another name it is.
    const address = new URL(proxy ? url.replace('127.0.0.1', 'app.test') : url);
    return sendStreamed({
      method: 'POST',
      url: address,
      headers: {},
      body: undefined,
      silenceMs: 5_000,
      proxy,
      signal: new AbortController().signal,
      ...given,
    });
  }

  async function received(request: Parameters<typeof send>[0]) {
    const reply = await send(request);
    let text = '';
    try {
      for await (const piece of reply.chunks) text += piece;
    } finally {
      await reply.close();
    }
    return { ...reply, text };
  }
});

async function* pieces() {
  yield Buffer.from('one');
  yield Buffer.from('two');
}

function conversing(converse: (socket: Socket) => void): Promise<string> {
  return listening(createServer((socket) => converse(socket.on('error', () => {}))));
}
