/**
 * A file with what the files of an app compress to: a file for each would take longer to open than to compress. It is written
 * once, under a random name, and never changed. The index of the app knows what is where, and the CRC-32 of each chunk.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { NewFile, openRegularSync } from '../../kernel/disk/index.ts';
import { membersPath } from './cache-folder.ts';

/** What is checked at once, and read at once: files that come one after the other are beside each other. */
const chunkBytes = 2 ** 20;

export class MemberReader {
  #file: number | undefined;
  #number = -1;
  #chunk = Buffer.alloc(0);

  constructor(
    private readonly path: string,
    private readonly sums: readonly number[],
  ) {}

  /** Throws if the file is not what was written. */
  read(at: number, length: number): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let number = Math.floor(at / chunkBytes); number * chunkBytes < at + length; number++) {
      const start = at - number * chunkBytes;
      parts.push(this.#chunkAt(number).subarray(Math.max(0, start), start + length));
    }
    const [only, another] = parts;
    return only && !another ? only : Buffer.concat(parts);
  }

  #chunkAt(number: number): Buffer {
    if (this.#number === number) return this.#chunk;
    this.#file ??= openRegularSync(this.path);
    const bytes = Buffer.allocUnsafe(chunkBytes);
    const length = readSync(this.#file, bytes, 0, chunkBytes, number * chunkBytes);
    this.#chunk = bytes.subarray(0, length);
    this.#number = number;
    if (crc32(this.#chunk) !== this.sums[number]) throw new Error(`${this.path} is damaged`);
    return this.#chunk;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Writes under a temporary name, which goes when all is written. Throws system errors. */
export class MemberWriter {
  readonly sums: number[] = [];
  bytes = 0;
  #chunk = Buffer.alloc(0);
  readonly #full: Buffer[] = [];
  #file: NewFile | undefined;

  constructor(
    private readonly folder: string,
    private readonly root: string,
  ) {}

  /** Returns where it is. It is written by `flush`: a promise for each of many small files would take longer. */
  append(data: Uint8Array): number {
    const at = this.bytes;
    for (let done = 0; done < data.length; ) {
      const used = this.bytes % chunkBytes;
      if (used === 0) this.#chunk = Buffer.allocUnsafe(chunkBytes);
      const part = data.subarray(done, done + chunkBytes - used);
      this.#chunk.set(part, used);
      done += part.length;
      this.bytes += part.length;
      if (this.bytes % chunkBytes === 0) this.#endChunk(chunkBytes);
    }
    return at;
  }

  #endChunk(length: number): void {
    const chunk = this.#chunk.subarray(0, length);
    this.sums.push(crc32(chunk));
    this.#full.push(chunk);
  }

  async flush(): Promise<void> {
    for (const chunk of this.#full.splice(0)) {
      this.#file ??= await NewFile.create(join(this.folder, 'new'), { mode: 0o600 });
      await this.#file.handle.writeFile(chunk);
    }
  }

  /** Not flushed to the disk: what a power failure has torn is recognized. Returns the name; undefined if it is empty. */
  async commit(): Promise<string | undefined> {
    if (this.bytes % chunkBytes > 0) this.#endChunk(this.bytes % chunkBytes);
    await this.flush();
    const name = this.#file && randomBytes(8).toString('hex');
    if (name !== undefined) await this.#file?.commit(membersPath(this.folder, this.root, name));
    return name;
  }

  async discard(): Promise<void> {
    await this.#file?.discard();
  }
}
