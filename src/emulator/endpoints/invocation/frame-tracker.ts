import { Transform, type TransformCallback } from 'node:stream';

/** Passes WebSocket bytes through unchanged, and knows where frames end (RFC 6455, 5.2). */
export class FrameTracker extends Transform {
  /** Whether a close frame has passed. */
  hasClosed = false;
  #header = Buffer.alloc(0);
  /** Bytes of the current frame's content that have not passed. */
  #remaining = 0;

  /** Whether everything so far ends with a whole frame. */
  get isBetweenFrames(): boolean {
    return this.#remaining === 0 && this.#header.length === 0;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#remaining > 0 ? this.#skipContent(rest) : this.#readHeader(rest);
    done(null, chunk);
  }

  #skipContent(bytes: Buffer): Buffer {
    const skipped = Math.min(this.#remaining, bytes.length);
    this.#remaining -= skipped;
    return bytes.subarray(skipped);
  }

  #readHeader(bytes: Buffer): Buffer {
    const known = this.#header.length;
    const header = Buffer.concat([this.#header, bytes.subarray(0, maxHeaderBytes - known)]);
    const length = headerLength(header);
    if (header.length < length) {
      this.#header = header;
      return bytes.subarray(bytes.length);
    }
    if (((header[0] ?? 0) & 0x0f) === closeOpcode) this.hasClosed = true;
    this.#remaining = contentLength(header);
    this.#header = Buffer.alloc(0);
    return bytes.subarray(length - known);
  }
}

/** A close frame from a server. */
export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason);
  const head = Buffer.from([0x80 | closeOpcode, 2 + text.length, code >> 8, code & 0xff]);
  return Buffer.concat([head, text]);
}

const closeOpcode = 8;
const maxHeaderBytes = 14;

/** Of a header that may be incomplete: at least as many bytes as are needed next. */
function headerLength(header: Buffer): number {
  const second = header[1];
  if (second === undefined) return 2;
  const short = second & 0x7f;
  const extended = short === 127 ? 8 : short === 126 ? 2 : 0;
  return 2 + extended + (second & 0x80 ? 4 : 0);
}

function contentLength(header: Buffer): number {
  const short = (header[1] ?? 0) & 0x7f;
  if (short === 126) return header.readUInt16BE(2);
  return short === 127 ? Number(header.readBigUInt64BE(2)) : short;
}
