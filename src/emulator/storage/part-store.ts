import { randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteStream, ReadableBody } from '../server/reply.ts';
import type { StoredPart } from '../volumes/tree.ts';
import { saveStream } from './receive.ts';

/** Contents on disk, under names of our own: what a volume calls its files never reaches the disk. */
export class PartStore {
  readonly #folder: string;
  /** How many are reading each. */
  readonly #readers = new Map<string, number>();
  /** To be removed when its last reader has read it. */
  readonly #unwanted = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async keep(body: ByteStream): Promise<StoredPart & { md5: string }> {
    const id = randomUUID();
    return { id, ...(await saveStream(body, this.#path(id))) };
  }

  /** Writes without a request: what a test arranges. */
  write(bytes: Buffer): StoredPart {
    const id = randomUUID();
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#path(id), bytes, { mode: 0o600 });
    return { id, size: bytes.length };
  }

  readAll(pieces: readonly StoredPart[]): Buffer {
    return Buffer.concat(pieces.map(({ id }) => readFileSync(this.#path(id))));
  }

  /** One body of several pieces. Whoever has begun to read it gets it whole, even if it is removed meanwhile. */
  content(pieces: readonly StoredPart[]): ReadableBody {
    const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
    return { size, read: (start, end) => this.#read(pieces, start, end) };
  }

  async remove(pieces: readonly StoredPart[]): Promise<void> {
    const free = pieces.filter(({ id }) => !this.#readers.has(id));
    for (const { id } of pieces) if (this.#readers.has(id)) this.#unwanted.add(id);
    await Promise.all(free.map(({ id }) => rm(this.#path(id), { force: true })));
  }

  /** Removes what no record knows: parts that were on their way when the platform ended. */
  removeAllBut(known: ReadonlySet<string>): void {
    for (const id of this.#all()) if (!known.has(id)) rmSync(this.#path(id), { force: true });
  }

  #all(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }

  async *#read(pieces: readonly StoredPart[], start: number, end: number): AsyncGenerator<Buffer> {
    for (const { id } of pieces) this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
    try {
      let at = 0;
      for (const { id, size } of pieces) {
        const [from, to] = [Math.max(start - at, 0), Math.min(end - at, size)];
        if (from < to) yield* createReadStream(this.#path(id), { start: from, end: to - 1 });
        at += size;
      }
    } finally {
      for (const { id } of pieces) await this.#release(id);
    }
  }

  async #release(id: string): Promise<void> {
    const left = (this.#readers.get(id) ?? 1) - 1;
    if (left > 0) {
      this.#readers.set(id, left);
      return;
    }
    this.#readers.delete(id);
    if (this.#unwanted.delete(id)) await rm(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.#folder, id);
  }
}
