import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Exchange, sendReply } from '../../src/emulator/server/exchange.ts';
import { untilCut } from './support/running.ts';

test.each([undefined, 100])(
  'bytes that are written before a response breaks arrive before the break (of %s bytes)',
  async (size) => {
    async function* read() {
      yield Buffer.from('first');
      yield Buffer.from('second');
      throw new Error('no third one');
    }
    const server = createServer((request, response) => {
      const exchange = { request, response, call: {} } as Exchange;
      sendReply(exchange, { status: 200, headers: {}, body: { size, read } }).catch(() => request.socket.destroy());
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close().closeAllConnections());
    await new Promise((done) => server.once('listening', done));
    expect(await untilCut(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toBe('firstsecond');
  },
);
