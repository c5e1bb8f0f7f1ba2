import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Reads the text frames of a WebSocket until the server closes it normally, or `enough` says so. Rejects if the handshake
 * is refused or the connection breaks.
 */
export async function* readFrames(address: URL, enough: (text: string) => boolean = () => false) {
  const { stream, head } = await connect(address);
  let received = head;
  try {
    for (;;) {
      for (let frame = takeFrame(received); frame; frame = takeFrame(received)) {
        received = frame.rest;
        if (frame.opcode === opcodes.close) return;
        const text = String(frame.payload);
        if (frame.opcode === opcodes.text) yield text;
        if (enough(text)) return;
      }
      const chunk = await nextChunk(stream);
      if (!chunk) throw new Error('the socket was closed without a close frame');
      received = Buffer.concat([received, chunk]);
    }
  } finally {
    stream.destroy();
  }
}

const opcodes = { text: 1, close: 8 };

function connect({ hostname, port, pathname, search }: URL): Promise<{ stream: Duplex; head: Buffer }> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: pathname + search, headers })
      .on('upgrade', (_, stream, head) => resolve({ stream, head }))
      .on('response', ({ statusCode }) => reject(new Error(`websocket dial failed with status ${statusCode}`)))
      .on('error', reject)
      .end();
  });
}

/** The first whole frame. Servers do not mask theirs. */
function takeFrame(bytes: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | undefined {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return undefined;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < start + length) return undefined;
  return {
    opcode: first & 0x0f,
    payload: bytes.subarray(start, start + length),
    rest: bytes.subarray(start + length),
  };
}

function nextChunk(stream: Duplex): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunk: Buffer | null = stream.read();
    if (chunk) return resolve(chunk);
    if (stream.readableEnded || stream.destroyed) return resolve(undefined);
    stream.once('readable', () => resolve(nextChunk(stream)));
    stream.once('close', () => resolve(undefined));
    stream.once('error', reject);
  });
}
