import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CloseWatch, closeFrame } from '../../src/emulator/endpoints/invocation/sockets.ts';

const message = Buffer.concat([Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 0, 2, 0]), Buffer.alloc(512, 8)]);
const close = closeFrame(1000, 'bye');
const closeOfClient = Buffer.from([0x88, 0x82, 1, 2, 3, 4, 0x02, 0xea]);

test.each([
  ['a close frame of the app', [message, close], true],
  ['one of the client', [message, closeOfClient], true],
  ['one without a code', [Buffer.from([0x88, 0])], true],
  ['a message that broke off', [message.subarray(0, 100)], false],
  ['a close frame that broke off', [message, close.subarray(0, 4)], false],
  ['nothing', [], false],
])('%s is noticed, in chunks of any size, and what passes is unchanged', async (_, frames, hasClosed) => {
  const bytes = Buffer.concat(frames);
  for (const size of [1, 7, 130, 10_000]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
    const watch = new CloseWatch();
    const passed = await buffer(Readable.from(chunks.map((at) => bytes.subarray(at, at + size))).pipe(watch));
    expect([passed.equals(bytes), watch.hasClosed]).toEqual([true, hasClosed]);
  }
});
