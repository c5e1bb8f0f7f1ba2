import type { ByteStream, ServerReply } from './reply.ts';

/** The bytes that are kept of each body: 200 calls with both bodies take 25 MiB at most. */
export const maxCapturedBytes = 64 * 1024;

/** The start of a body that passes by. */
export class CapturedBody {
  /** Bytes of the whole body, as far as it was read. */
  size = 0;
  hasEnded = false;
  readonly #chunks: Buffer[] = [];

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get isWhole(): boolean {
    return this.hasEnded && this.size <= maxCapturedBytes;
  }

  async *watch(body: ByteStream): ByteStream {
    for await (const chunk of body) {
      this.#add(chunk);
      yield chunk;
    }
    this.hasEnded = true;
  }

  watchReply(reply: ServerReply): ServerReply {
    const { body } = reply;
    if (typeof body !== 'string') {
      return { ...reply, body: { size: body.size, read: () => this.watch(body.read()) } };
    }
    this.#add(Buffer.from(body));
    this.hasEnded = true;
    return reply;
  }

  /** A copy: a chunk is a part of a larger buffer. */
  #add(chunk: Buffer): void {
    const left = maxCapturedBytes - this.size;
    if (left > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, left)));
    this.size += chunk.length;
  }
}
