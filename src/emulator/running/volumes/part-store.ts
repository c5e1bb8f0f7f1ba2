import { hash, randomUUID } from 'node:crypto';
import {
  constants,
  createReadStream,
  createWriteStream,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, link, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { namesIn } from '../../../kernel/disk/index.ts';
import { readSmall } from '../../http/read-small.ts';
import { saveStream } from '../../http/receive.ts';
import { type ByteStream, maxAtOnceBytes, type ReadableBody } from '../../http/reply.ts';
import type { StoredPart } from './tree.ts';

/** Uploaded parts on disk, named by id: names of a volume's files never reach the disk. */
export class PartStore {
  /** Number of readers by id. */
  readonly #readers = new Map<string, number>();
  /** Deleted when their last reader has finished. */
  readonly #pendingDeletes = new Set<string>();

  constructor(private readonly folder: string) {}

  async save(body: ByteStream): Promise<StoredPart & { md5: string }> {
    const content = await readSmall(body, maxAtOnceBytes);
    if (Buffer.isBuffer(content)) return { ...this.write(content), md5: hash('md5', content) };
    const id = randomUUID();
    return { id, ...(await saveStream(content, this.#path(id))) };
  }

  /** Writes synchronously: small parts, and for tests and demos. Nobody knows the name before it is complete. */
  write(bytes: Buffer): StoredPart {
    const id = randomUUID();
    try {
      // A reset of the emulator takes the folder away.
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#path(id), bytes, { mode: 0o600 });
    } catch (error) {
      rmSync(this.#path(id), { force: true });
      throw error;
    }
    return { id, size: bytes.length };
  }

  readAll(parts: readonly StoredPart[]): Buffer {
    return Buffer.concat(parts.map(({ id }) => readFileSync(this.#path(id))));
  }

  /** The concatenated parts. A reader gets all of them, even if they are removed meanwhile. */
  content(parts: readonly StoredPart[]): ReadableBody {
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    const content = { size, read: (start: number, end: number) => this.#read(parts, start, end) };
    return size > maxAtOnceBytes ? content : { ...content, readAtOnce: () => this.readAll(parts) };
  }

  /** Puts the parts together in a new file, and returns its path. The caller moves it. */
  async assemble(parts: readonly StoredPart[]): Promise<string> {
    const target = this.#path(randomUUID());
    const [first, ...others] = parts;
    if (first && others.length === 0) {
      await linkUnlessShared(this.#path(first.id), target);
      return target;
    }
    await pipeline(this.#read(parts, 0, Number.POSITIVE_INFINITY), createWriteStream(target, { mode: 0o600 }));
    return target;
  }

  /** Keeps the files of parts, also if they are removed meanwhile, until the returned function is called. */
  hold(ids: readonly string[]): () => Promise<void> {
    for (const id of ids) this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
    return async () => {
      for (const id of ids) await this.#release(id);
    };
  }

  async remove(parts: readonly StoredPart[]): Promise<void> {
    const free = parts.filter(({ id }) => !this.#readers.has(id));
    for (const { id } of parts) if (this.#readers.has(id)) this.#pendingDeletes.add(id);
    await Promise.all(free.map(({ id }) => rm(this.#path(id), { force: true })));
  }

  /** Deletes parts that belong to no file or upload, such as those of an interrupted request. */
  removeAllExcept(usedIds: ReadonlySet<string>): void {
    for (const id of namesIn(this.folder)) if (!usedIds.has(id)) rmSync(this.#path(id), { force: true });
  }

  async *#read(parts: readonly StoredPart[], start: number, end: number): AsyncGenerator<Buffer> {
    const release = this.hold(parts.map(({ id }) => id));
    try {
      let at = 0;
      for (const { id, size } of parts) {
        const [from, to] = [Math.max(start - at, 0), Math.min(end - at, size)];
        if (from < to) yield* createReadStream(this.#path(id), { start: from, end: to - 1 });
        at += size;
      }
    } finally {
      await release();
    }
  }

  async #release(id: string): Promise<void> {
    const readers = (this.#readers.get(id) ?? 1) - 1;
    if (readers > 0) {
      this.#readers.set(id, readers);
      return;
    }
    this.#readers.delete(id);
    if (this.#pendingDeletes.delete(id)) await rm(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.folder, id);
  }
}

/** A link costs nothing, but apps may change the file in place: a part that a snapshot has, too, is copied. */
async function linkUnlessShared(part: string, target: string): Promise<void> {
  const copy = () => copyFile(part, target, constants.COPYFILE_FICLONE);
  if ((await stat(part)).nlink > 1) await copy();
  else await link(part, target).catch(copy);
}
