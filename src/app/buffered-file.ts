import type { FileHandle } from 'node:fs/promises';

/** Appends to a file. Small chunks are buffered. The caller may reuse appended bytes once the promise resolves. */
export class BufferedFile {
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  #used = 0;
  #written = 0;

  constructor(private readonly file: FileHandle) {}

  get position(): number {
    return this.#written + this.#used;
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (!this.hasRoomFor(bytes.length)) await this.flush();
    if (this.hasRoomFor(bytes.length)) return this.appendAtOnce(bytes);
    await this.#write(bytes, this.#written);
    this.#written += bytes.length;
  }

  hasRoomFor(bytes: number): boolean {
    return bytes <= bufferBytes / 4 && this.#used + bytes <= bufferBytes;
  }

  appendAtOnce(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  async patch(bytes: Uint8Array, position: number): Promise<void> {
    await this.flush();
    await this.#write(bytes, position);
  }

  async flush(): Promise<void> {
    if (this.#used === 0) return;
    await this.#write(this.#buffer.subarray(0, this.#used), this.#written);
    this.#written += this.#used;
    this.#used = 0;
  }

  /** Repeats short writes, which happen on a full disk. */
  async #write(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.file.write(bytes, done, bytes.length - done, position + done);
      done += bytesWritten;
    }
  }
}

const bufferBytes = 2 ** 20;
