import { getEventListeners } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { dispatchRequest, type ReplyLimit } from '../../../src/platform/api/dispatch.ts';

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
  return (signal: AbortSignal, limit: ReplyLimit = { bytes: 2 ** 20, truncates: false, silenceMs: 5_000 }) =>
    dispatchRequest(dispatcher, { origin, path: '/', method: 'GET' }, signal, limit);
}

const silence: RequestListener = () => {};
const word: RequestListener = (_, response) => response.end('word');

test('reads a reply in chunks, even if a chunk ends within a character', async () => {
  const bytes = Buffer.from('größer 🚀'.repeat(50_000));
  const ask = await asking((_, response) => {
    response.writeHead(201, { etag: '"e"' }).write(bytes.subarray(0, 3));
    setImmediate(() => response.end(bytes.subarray(3)));
  });
  const { status, headers, body } = await ask(new AbortController().signal);
  expect([status, headers.etag, body === bytes.toString()]).toEqual([201, '"e"', true]);
});

test('a signal aborts requests in flight, and those that wait for a connection, with its reason', async () => {
  const stop = new AbortController();
  const ask = await asking(silence);
  let closed = 0;
  server.on('request', (request) => request.on('close', () => closed++));
  const requests = Promise.allSettled(Array.from({ length: 5 }, () => ask(stop.signal)));
  await new Promise((arrived) => server.once('request', arrived));
  stop.abort(new Error('enough'));
  const outcomes = (await requests).map((each) => (each.status === 'rejected' ? each.reason.message : 'an answer'));
  expect(outcomes).toEqual(Array.from({ length: 5 }, () => 'enough'));
  await expect.poll(() => closed).toBeGreaterThan(0);
});

test('sends nothing after the signal', async () => {
  let requests = 0;
  const ask = await asking(() => requests++);
  await expect(ask(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(requests).toBe(0);
});

test('adds one listener to the signal for any number of requests', async () => {
  const { signal } = new AbortController();
  const ask = await asking(word);
  const replies = await Promise.all(Array.from({ length: 50 }, () => ask(signal)));
  expect(replies.every(({ body }) => body === 'word')).toBe(true);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});

/** Sends until nobody takes it any more, and says how much that was. */
function endless(): { answer: RequestListener; ended: Promise<number> } {
  let end = (_: number) => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const answer: RequestListener = (_, response) => {
    let sent = 0;
    const more = () => {
      do sent += 65_536;
      while (response.write(Buffer.alloc(65_536, 'x')));
      response.once('drain', more);
    };
    response.once('close', () => end(sent));
    more();
  };
  return { answer, ended };
}

test('fails without a retry as soon as a reply is too long', async () => {
  const { answer, ended } = endless();
  const ask = await asking(answer);
  const error = await ask(new AbortController().signal, { bytes: 100_000, truncates: false, silenceMs: 5_000 }).catch(
    (reason) => reason,
  );
  expect([error.exit, error.facts.retryable]).toEqual(['bug', undefined]);
  expect(error.message).toContain('is larger than');
  expect(await ended).toBeLessThan(50_000_000);
});

test('truncates a reply that is too long if its start is enough', async () => {
  const { answer, ended } = endless();
  const ask = await asking(answer);
  const { status, body } = await ask(new AbortController().signal, { bytes: 1_000, truncates: true, silenceMs: 5_000 });
  expect([status, body]).toEqual([200, 'x'.repeat(1_000)]);
  expect(await ended).toBeLessThan(50_000_000);
});
