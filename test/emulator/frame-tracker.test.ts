import { expect, test } from 'vitest';
import { closeFrame, FrameTracker } from '../../src/emulator/endpoints/invocation/sockets.ts';

/** A binary frame, as a client (masked) or a server sends it. */
function frame(length: number, isMasked: boolean): Buffer {
  const mask = isMasked ? 0x80 : 0;
  const short = length < 126 ? length : length < 65_536 ? 126 : 127;
  const extended = Buffer.alloc(short === 127 ? 8 : short === 126 ? 2 : 0);
  if (short === 126) extended.writeUInt16BE(length);
  if (short === 127) extended.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([
    Buffer.from([0x82, mask | short]),
    extended,
    Buffer.alloc(isMasked ? 4 : 0),
    Buffer.alloc(length, 8),
  ]);
}

const short = [0, 1, 125, 126];
const long = [65_535, 65_536];

test.each([
  [1, short],
  [3, short],
  [1_009, long],
  [1_000_000, [...short, ...long]],
])('the ends of frames are known if they arrive in pieces of %i bytes', (size, lengths) => {
  const tracker = new FrameTracker();
  const frames = lengths.flatMap((length) => [frame(length, false), frame(length, true)]);
  const bytes = Buffer.concat([...frames, closeFrame(1000, 'bye')]);
  const passed: Buffer[] = [];
  tracker.on('data', (chunk) => passed.push(chunk));
  const ends = new Set<number>();
  let end = 0;
  for (const { length } of frames) {
    end += length;
    ends.add(end);
  }
  const closesAt = end;
  ends.add(bytes.length);
  for (let at = 0; at < bytes.length; at += size) {
    tracker.write(bytes.subarray(at, at + size));
    const written = Math.min(at + size, bytes.length);
    if (tracker.isBetweenFrames !== ends.has(written)) expect(written).toBe('the end of a frame');
    if (written <= closesAt) expect(tracker.hasClosed).toBe(false);
  }
  expect([tracker.hasClosed, Buffer.concat(passed).equals(bytes)]).toEqual([true, true]);
});
