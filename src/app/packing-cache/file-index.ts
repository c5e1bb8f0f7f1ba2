/**
 * What is known of the files of one app folder, by their path. It holds as long as the identity of a file does. In columns
 * of numbers, in memory as on disk: for 50,000 small files, objects and their JSON would take half as long as packing them.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { writeFileAtomic } from '../../kernel/disk/index.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import type { FileStats } from '../files/entry.ts';
import { type BlockPart, FileRows } from './file-rows.ts';

/** Of the content of a file. SHA-256 is its identity; CRC-32 is what zip archives and the platform's lists have. */
export interface Checksums {
  crc32: number;
  /** In hex. */
  sha256: string;
}

/** The content of a file as it goes into an archive. */
export interface KnownContent extends Checksums {
  /** In bytes. */
  size: number;
  /** Of the compressed blocks, in order; a small file has one. Empty if it is stored as it is. */
  keys: readonly string[];
  /** Where a tiny file is in the one block, which it shares with others. */
  part?: BlockPart | undefined;
}

export interface IndexedFile extends Omit<KnownContent, 'size' | 'keys'> {
  /** Null if only its checksums are known: it was read and not packed, or its name says that it does not shrink. */
  keys: readonly string[] | null;
}

interface Head {
  paths: string[];
  /** Of keys. */
  lists: (readonly string[])[];
}

export class FileIndex {
  /** Of files that were known before. */
  readonly #rowOf: Map<string, number>;
  /** The other rows are of these files. Nobody looks them up. */
  readonly #added: string[] = [];
  readonly #rows: FileRows;
  readonly #lists: Head['lists'];

  private constructor(
    /** What the keys and the identities depend on. */
    private readonly salt: string,
    { paths, lists }: Head = { paths: [], lists: [] },
    rows: Uint8Array = new Uint8Array(0),
  ) {
    this.#rowOf = new Map(paths.map((path, row) => [path, row]));
    this.#rows = new FileRows(rows);
    this.#lists = lists;
  }

  /** Empty if there is none, or a damaged one. `salt`: of the keys in it. `device`: of the files. */
  static async read(path: string, keySalt: string, device: number | undefined): Promise<FileIndex> {
    const salt = `files 5 ${device} ${endianness()}\n${keySalt}`;
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    const body = content.subarray(digestBytes);
    if (!digestOf(salt, body).equals(content.subarray(0, digestBytes))) return new FileIndex(salt);
    const headEnd = body.indexOf('\n');
    const head = tryParseJson(body.toString('utf8', 0, headEnd)) as Head;
    return new FileIndex(salt, head, body.subarray(headEnd + 1));
  }

  get size(): number {
    return this.#rowOf.size;
  }

  has(path: string): boolean {
    return this.#rowOf.has(path);
  }

  /** Whether `stats` say that the file has not changed. */
  isUnchanged(path: string, stats: FileStats): boolean {
    const row = this.#rowOf.get(path);
    return row !== undefined && this.#rows.isOf(row, stats);
  }

  get(path: string): (IndexedFile & { size: number }) | undefined {
    const row = this.#rowOf.get(path);
    if (row === undefined) return undefined;
    const { list, ...facts } = this.#rows.facts(row);
    return { ...facts, size: this.#rows.size(row), keys: this.#lists[list] ?? null };
  }

  set(path: string, stats: FileStats, { keys, ...sums }: IndexedFile): void {
    this.#added.push(path);
    this.#rows.add(stats, { ...sums, list: this.#listNumber(keys) });
  }

  delete(path: string): void {
    this.#rowOf.delete(path);
  }

  /** Without files that are not `among` these. Throws system errors. */
  async write(file: string, among?: ReadonlySet<string>): Promise<void> {
    const live = this.#rows.count === this.#added.length ? this : this.#live(among);
    const head = JSON.stringify({ paths: live.#added, lists: live.#lists } satisfies Head);
    const body = Buffer.concat([Buffer.from(`${head}\n`), live.#rows.bytes]);
    await writeFileAtomic(file, Buffer.concat([digestOf(this.salt, body), body]), { mode: 0o600 });
  }

  #live(among: ReadonlySet<string> | undefined): FileIndex {
    const live = new FileIndex(this.salt);
    for (const [path, row] of this.#rowOf) if (among?.has(path) ?? true) live.#copy(path, this, row);
    const firstAdded = this.#rows.count - this.#added.length;
    for (const [index, path] of this.#added.entries()) live.#copy(path, this, firstAdded + index);
    return live;
  }

  #copy(path: string, from: FileIndex, row: number): void {
    this.#added.push(path);
    this.#rows.copy(from.#rows, row, this.#listNumber(from.#lists[from.#rows.list(row)] ?? null));
  }

  /** Tiny files that share a block come one after the other, with the same list. */
  #listNumber(keys: readonly string[] | null): number {
    if (keys === null) return noList;
    if (this.#lists.at(-1) === keys) return this.#lists.length - 1;
    return this.#lists.push(keys) - 1;
  }
}

const digestBytes = 32;
const noList = 2 ** 32 - 1;

/** Damage and other versions of the format differ in it. */
function digestOf(salt: string, body: Uint8Array): Buffer {
  return createHash('sha256').update(`${salt}\n`).update(body).digest();
}
