import { getEventListeners } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { exchange } from '../../src/api/exchange.ts';

let server: Server;
let dispatcher: Agent;

afterEach(async () => {
  await dispatcher.destroy();
  server.close().closeAllConnections();
});

/** How to ask a server that answers so, over so many connections. */
async function asking(answer: RequestListener, connections = 2) {
  server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  dispatcher = new Agent({ connections });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (signal: AbortSignal) =>
    exchange(dispatcher, { origin, path: '/', method: 'GET' }, signal, { bytes: 2 ** 20, isCut: false });
}

const silence: RequestListener = () => {};
const word: RequestListener = (_, response) => response.end('word');

test('an answer in pieces is read whole, even where a letter is cut in two', async () => {
  const bytes = Buffer.from('größer 🚀'.repeat(50_000));
  const ask = await asking((_, response) => {
    response.writeHead(201, { etag: '"e"' }).write(bytes.subarray(0, 3));
    setImmediate(() => response.end(bytes.subarray(3)));
  });
  const { status, headers, body } = await ask(new AbortController().signal);
  expect([status, headers.etag, body === bytes.toString()]).toEqual([201, '"e"', true]);
});

test('a signal stops all requests under way, and those that wait for a connection, with its reason', async () => {
  const stop = new AbortController();
  const ask = await asking(silence);
  const requests = Promise.allSettled(Array.from({ length: 5 }, () => ask(stop.signal)));
  await new Promise((arrived) => server.once('request', arrived));
  stop.abort(new Error('enough'));
  const outcomes = (await requests).map((each) => (each.status === 'rejected' ? each.reason.message : 'an answer'));
  expect(outcomes).toEqual(Array.from({ length: 5 }, () => 'enough'));
});

test('after the signal nothing is sent', async () => {
  let requests = 0;
  const ask = await asking(() => requests++);
  await expect(ask(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(requests).toBe(0);
});

test('however many requests there are, a signal is listened to once', async () => {
  const { signal } = new AbortController();
  const ask = await asking(word);
  const replies = await Promise.all(Array.from({ length: 50 }, () => ask(signal)));
  expect(replies.every(({ body }) => body === 'word')).toBe(true);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});

test('a connection that is cut off in the middle of an answer is a failure, not a short answer', async () => {
  const ask = await asking((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
  });
  await expect(ask(new AbortController().signal)).rejects.toThrow();
});
