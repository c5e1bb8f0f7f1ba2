import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openReceiver, type ReceiverOptions } from '../../../src/calls/receiver/index.ts';

async function open(options: Partial<ReceiverOptions> = {}) {
  const refused: string[] = [];
  const receiver = await openReceiver({
    host: '127.0.0.1',
    port: 0,
    onRequest: async () => ({ status: 200 }),
    onRejected: (why) => void refused.push(why),
    ...options,
  });
  onTestFinished(() => receiver.close());
  return { url: receiver.url, refused };
}

/** Connections that send this and then nothing more. */
async function stalled(url: string, count: number, text: string): Promise<Socket[]> {
  const { port } = new URL(url);
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((done) => {
          const socket = connect(Number(port), '127.0.0.1', () => socket.write(text, () => done(socket)));
          socket.on('error', () => {});
          onTestFinished(() => void socket.destroy());
        }),
    ),
  );
}

const post = async (url: string, body: string | Buffer = '{}') => (await fetch(url, { method: 'POST', body })).status;

test.each([
  ['in the middle of the headers', 'POST / HTTP/1.1\r\nhost: x\r\n'],
  ['in the middle of the body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf'],
  ['before the first byte', ''],
])('60 senders that stop %s do not block others', async (_, text) => {
  const { url } = await open();
  await stalled(url, 60, text);
  expect(await post(url)).toBe(200);
});

test('limits the memory for concurrent requests', async () => {
  const waiting: (() => void)[] = [];
  let arrived = () => {};
  const { url, refused } = await open({
    onRequest: async () => {
      arrived();
      await new Promise<void>((done) => waiting.push(done));
      return { status: 200 };
    },
  });
  const large = Buffer.alloc(10 * 1024 * 1024);
  const held: Promise<number>[] = [];
  const hold = () =>
    new Promise<void>((done) => {
      arrived = done;
      held.push(post(url, large));
    });
  for (let count = 1; count <= 12; count++) await hold();
  expect(await post(url, large)).toBe(503);
  expect(refused).toEqual(['POST /: too many requests at the same time']);
  for (const done of waiting) done();
  expect(new Set(await Promise.all(held))).toEqual(new Set([200]));
  await hold();
  waiting.at(-1)?.();
  expect(await held.at(-1)).toBe(200);
});

test('listens at the usual port, or at another one where nobody names it', async () => {
  const first = await open();
  const taken = Number(new URL(first.url).port);
  const second = await open({ port: undefined, usualPort: taken });
  expect(await post(second.url)).toBe(200);
  expect(second.url).not.toBe(first.url);
  await expect(open({ port: taken })).rejects.toThrow(`port ${taken} is in use`);
  // No machine has this address (RFC 5737).
  const elsewhere = open({ host: '203.0.113.1', port: undefined, usualPort: taken });
  await expect(elsewhere).rejects.toThrow('cannot listen on 203.0.113.1, port 0');
});
