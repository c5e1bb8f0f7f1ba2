import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteStream, ServerReply } from './reply.ts';

/** A longer body is stored in a file. */
const maxHeldBytes = 1024 * 1024;

/** A request body that can be read repeatedly. Either `held` or `file` is set. */
export class BufferedBody {
  private constructor(
    readonly held: Buffer | undefined,
    readonly file: string | undefined,
  ) {}

  /** Reads a body to its end. A large one is stored in a file in `folder`. */
  static async receive(body: ByteStream, folder: string): Promise<BufferedBody> {
    const rest = body[Symbol.asyncIterator]();
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await rest.next();
      if (done) return new BufferedBody(Buffer.concat(chunks), undefined);
      chunks.push(value);
      size += value.length;
      if (size > maxHeldBytes) break;
    }
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `body-${randomUUID()}`);
    try {
      await pipeline(concatenate(chunks, rest), createWriteStream(file, { mode: 0o600 }));
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    return new BufferedBody(undefined, file);
  }

  read(): Readable {
    return this.file === undefined ? Readable.from([this.held]) : createReadStream(this.file);
  }

  async text(): Promise<string> {
    return this.file === undefined ? String(this.held) : readFile(this.file, 'utf8');
  }

  async discard(): Promise<void> {
    if (this.file !== undefined) await rm(this.file, { force: true });
  }
}

async function* concatenate(first: Buffer[], rest: AsyncIterator<Buffer>): ByteStream {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Of each body that is kept, the rest is not: 200 calls with both bodies take 25 MiB at most. */
export const maxCapturedBytes = 64 * 1024;

/** The start of a body that passes by. */
export class CapturedBody {
  /** Of the whole body, as far as it was read. */
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
