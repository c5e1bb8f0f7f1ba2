import { expect, test } from 'vitest';
import { type Exchange, sendReply } from '../../src/emulator/server/exchange.ts';
import { serving } from '../support/listening.ts';
import { untilCut } from './support/running.ts';

test.each([undefined, 100])(
  'bytes that are written before a response breaks arrive before the break (of %s bytes)',
  async (size) => {
    async function* read() {
      yield Buffer.from('first');
      yield Buffer.from('second');
      throw new Error('no third one');
    }
    const url = await serving((request, response) => {
      const exchange = { request, response, call: {} } as Exchange;
      sendReply(exchange, { status: 200, headers: {}, body: { size, read } }).catch(() => request.socket.destroy());
    });
    expect(await untilCut(url)).toBe('firstsecond');
  },
);
