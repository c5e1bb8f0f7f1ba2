import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPooledSend } from '../../../src/platform/api/dispatch.ts';
import { sendStreamed } from '../../../src/platform/api/streamed.ts';
import { type HttpRequest, type Send, sendDirectly } from '../../../src/platform/api/transport.ts';
import { openConnections } from '../../../src/storage/transfer/connections.ts';
import { listening } from '../../support/listening.ts';

const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n';
const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n';
const reply = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\ndone';
const endless = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n1\r\n.\r\n';

/** A server that does this with each request. Returns its address. */
async function listen(answer: (socket: Socket) => void): Promise<URL> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).once('data', () => answer(socket));
  });
  return new URL(await listening(server));
}

const forever = (socket: Socket, head: string, again: string) => {
  socket.write(head);
  const timer = setInterval(() => socket.write(again), 5);
  socket.once('close', () => clearInterval(timer));
};

const sendPooled: Send = async (request) => {
  const stop = new AbortController();
  const dispatcher = await openConnections({ proxy: undefined, silenceMs: request.silenceMs }, 1, stop.signal);
  onTestFinished(() => dispatcher.destroy());
  return createPooledSend(dispatcher)(request);
};

const sendAsStream: Send = async ({ body: _, ...request }) => {
  const { status, headers, chunks } = await sendStreamed({ ...request, body: undefined, proxy: undefined });
  const received: Buffer[] = [];
  for await (const chunk of chunks) received.push(chunk);
  return { status, headers, body: Buffer.concat(received).toString() };
};

const ways: [string, Send][] = [
  ['directly', sendDirectly],
  ['over the pool', sendPooled],
  ['as a stream', sendAsStream],
];

const ask = (send: Send, url: URL, more: Partial<HttpRequest> = {}) =>
  send({ method: 'GET', url, headers: {}, signal: new AbortController().signal, silenceMs: 150, ...more });

type Answer = (socket: Socket) => void;

describe.each(ways)('a request %s', (_, send) => {
  test.each<[string, Answer]>([
    ['changes the protocol', (socket) => void socket.write(switching)],
    ['changes the protocol and closes', (socket) => void socket.end(switching)],
    ['closes after an interim reply', (socket) => void socket.end(interim)],
    ['closes without a reply', (socket) => void socket.end()],
    ['closes within the head', (socket) => void socket.end(reply.slice(0, 30))],
    ['closes within the body', (socket) => void socket.end(reply.slice(0, -2))],
  ])('fails if the server %s', async (_, answer) => {
    await expect(ask(send, await listen(answer))).rejects.toThrow(/^the connection to 127\.0\.0\.1:\d+ failed: /);
  });

  test.skipIf(send === sendPooled)('fails if a cut head becomes a whole one by what follows', async () => {
    const url = await listen((socket) => void socket.end(reply.slice(0, 30) + switching));
    await expect(ask(send, url)).rejects.toThrow(/failed: the reply is incomplete/);
  });

  test.each([
    ['HTTP/1.0 200 OK\r\n\r\n', 200],
    ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 200],
    ['HTTP/1.1 204 No Content\r\n\r\n', 204],
  ])('gets an empty reply: %j', async (head, status) => {
    expect(await ask(send, await listen((socket) => void socket.end(head)))).toMatchObject({ status, body: '' });
  });

  test('gets its reply after interim replies', async () => {
    const url = await listen((socket) => void socket.write(interim + interim + reply));
    expect(await ask(send, url)).toMatchObject({ status: 200, body: 'done' });
  });
});

describe.each(ways.slice(0, 2))('a request %s fails', (_, send) => {
  test.each<[string, Answer]>([
    ['interim replies', (socket) => forever(socket, interim, interim)],
    ['headers', (socket) => forever(socket, 'HTTP/1.1 200 OK\r\nx: ', 'x')],
    ['body chunks', (socket) => forever(socket, endless, '1\r\n.\r\n')],
  ])('if its %s come in drips without end', async (_, answer) => {
    await expect(ask(send, await listen(answer))).rejects.toThrow(
      /failed: (no data for 0\.15 s|the reply is too slow: \d+ B in 0\.15 s|timed out)/,
    );
  });
});
