import type { FileHandle } from 'node:fs/promises';

/**
 * The archive file as it grows: small pieces are gathered before they are written, large ones go straight through.
 *
 * What was appended may be reused by its owner as soon as the promise is fulfilled.
 */
export class BufferedFile {
  readonly #file: FileHandle;
  readonly #gathered = Buffer.allocUnsafeSlow(gather);
  #used = 0;
  #written = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Where the next byte goes. */
  get position(): number {
    return this.#written + this.#used;
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.#used + bytes.length > gather) await this.flush();
    if (bytes.length > gather / 4) {
      await this.flush();
      await this.#write(bytes, this.#written);
      this.#written += bytes.length;
    } else {
      this.#gathered.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  /** Writes over what is already there. */
  async patch(bytes: Uint8Array, position: number): Promise<void> {
    await this.flush();
    await this.#write(bytes, position);
  }

  async flush(): Promise<void> {
    if (this.#used === 0) return;
    await this.#write(this.#gathered.subarray(0, this.#used), this.#written);
    this.#written += this.#used;
    this.#used = 0;
  }

  /** A full disk may take a part of what it is given before it fails. */
  async #write(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, position + done);
      done += bytesWritten;
    }
  }
}

/** In bytes. */
const gather = 2 ** 20;
