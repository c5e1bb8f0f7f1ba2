/**
 * What is known of the files of one app folder, by their path. It holds as long as the identity of a file does. In columns
 * of numbers, in memory as on disk: for 50,000 small files, objects and their JSON would take half as long as packing them.
 */
import { createHash } from 'node:crypto';
import { lstatSync, statfsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { writeFileAtomic } from '../../kernel/disk/index.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import type { FileStats } from '../files/entry.ts';

/** Of the content of a file. SHA-256 is its identity; CRC-32 is what zip archives and the platform's lists have. */
export interface Checksums {
  crc32: number;
  sha256: string;
}

/** The content of a file as it goes into an archive. */
export interface KnownContent extends Checksums {
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
    /** Of the files; undefined if their change times cannot be trusted. */
    readonly device: number | undefined,
    { paths, lists }: Head = { paths: [], lists: [] },
    rows: Uint8Array = new Uint8Array(0),
  ) {
    this.#rowOf = new Map(paths.map((path, row) => [path, row]));
    this.#rows = new FileRows(rows);
    this.#lists = lists;
  }

  /** Reads the index; a missing or damaged file gives an empty one. `keySalt` goes into each of its keys. */
  static async read(path: string, keySalt: string, device: number | undefined): Promise<FileIndex> {
    const salt = `files 5 ${device} ${endianness()}\n${keySalt}`;
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    const body = content.subarray(digestBytes);
    if (!digestOf(salt, body).equals(content.subarray(0, digestBytes))) return new FileIndex(salt, device);
    const headEnd = body.indexOf('\n');
    const head = tryParseJson(body.toString('utf8', 0, headEnd)) as Head;
    return new FileIndex(salt, device, head, body.subarray(headEnd + 1));
  }

  get size(): number {
    return this.#rowOf.size;
  }

  /** Since it was learned. `found`: what it was when it was found, so that it need not be looked at again. */
  isUnchanged(path: string, found?: FileStats): boolean {
    const row = this.#rowOf.get(path);
    if (row === undefined || this.device === undefined) return false;
    const stats = found ?? currentStats(path, this.device);
    return stats?.dev === this.device && this.#rows.isOf(row, stats);
  }

  /** Whether a file with these stats cannot change without a trace. */
  canLearn({ dev, ctimeMs }: Pick<FileStats, 'dev' | 'ctimeMs'>, startedAt: number): boolean {
    return dev === this.device && isSettled(ctimeMs, startedAt);
  }

  get(path: string): (IndexedFile & { size: number }) | undefined {
    const row = this.#rowOf.get(path);
    if (row === undefined) return undefined;
    const { list, ...facts } = this.#rows.facts(row);
    return { ...facts, size: this.#rows.size(row), keys: this.#lists[list] ?? null };
  }

  /** Those of `get`, for a small part of its time. */
  keysOf(path: string): IndexedFile['keys'] | undefined {
    const row = this.#rowOf.get(path);
    return row === undefined ? undefined : (this.#lists[this.#rows.list(row)] ?? null);
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
    const live = new FileIndex(this.salt, this.device);
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

/** What a row has besides the identity of its file. */
interface RowFacts {
  crc32: number;
  sha256: string;
  /** A number of the caller's. */
  list: number;
  /** Of a tiny file: where it is in a block that it shares with others. */
  part?: BlockPart | undefined;
}

interface BlockPart {
  at: number;
  length: number;
  deflated: boolean;
}

/** The identities of files (`file-identity.ts`) and what is known of them, in rows of 88 bytes. */
class FileRows {
  #bytes = Buffer.alloc(0);
  #doubles = new Float64Array(0);
  #integers = new Uint32Array(0);
  count = 0;

  /** `bytes`: what {@link bytes} has returned. */
  constructor(bytes: Uint8Array) {
    this.count = Math.floor(bytes.length / rowBytes);
    this.#resize(this.count);
    this.#bytes.set(bytes.subarray(0, this.#bytes.length));
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.count * rowBytes);
  }

  isOf(row: number, stats: FileStats): boolean {
    const at = doublesAt(row);
    return identityOf(stats).every((value, index) => this.#doubles[at + index] === value);
  }

  facts(row: number): RowFacts {
    const form = this.#integer(row, columns.form);
    const part = { at: this.#integer(row, columns.at), length: this.#integer(row, columns.length) };
    return {
      crc32: this.#integer(row, columns.crc32),
      sha256: this.#bytes.toString('hex', sha256At(row), sha256At(row) + sha256Bytes),
      list: this.list(row),
      part: form === forms.whole ? undefined : { ...part, deflated: form === forms.deflatedPart },
    };
  }

  list(row: number): number {
    return this.#integer(row, columns.list);
  }

  size(row: number): number {
    return this.#doubles[doublesAt(row) + 1] ?? 0;
  }

  add(stats: FileStats, { crc32, sha256, list, part }: RowFacts): number {
    const row = this.#append();
    this.#doubles.set(identityOf(stats), doublesAt(row));
    const form = !part ? forms.whole : part.deflated ? forms.deflatedPart : forms.storedPart;
    // In the order of the columns.
    this.#integers.set([crc32, list, form, part?.at ?? 0, part?.length ?? 0], integersAt(row));
    this.#bytes.write(sha256, sha256At(row), sha256Bytes, 'hex');
    return row;
  }

  /** Adds a row of another table with another list. Returns its number. */
  copy(from: FileRows, of: number, list: number): number {
    const row = this.#append();
    from.#bytes.copy(this.#bytes, row * rowBytes, of * rowBytes, (of + 1) * rowBytes);
    this.#integers[integersAt(row) + columns.list] = list;
    return row;
  }

  #append(): number {
    const row = this.count++;
    if (this.count * rowBytes > this.#bytes.length) this.#resize(2 * this.count);
    return row;
  }

  #integer(row: number, column: number): number {
    return this.#integers[integersAt(row) + column] ?? 0;
  }

  #resize(rows: number): void {
    const memory = new ArrayBuffer(rows * rowBytes);
    const bytes = Buffer.from(memory);
    bytes.set(this.#bytes.subarray(0, bytes.length));
    this.#bytes = bytes;
    this.#doubles = new Float64Array(memory);
    this.#integers = new Uint32Array(memory);
  }
}

/** Four doubles, five integers and four unused bytes, the SHA-256. */
const rowBytes = 88;
const sha256Bytes = 32;
const columns = { crc32: 0, list: 1, form: 2, at: 3, length: 4 };
const forms = { whole: 0, deflatedPart: 1, storedPart: 2 };
const identityOf = ({ ino, size, mtimeMs, ctimeMs }: FileStats) => [ino, size, mtimeMs, ctimeMs];
const doublesAt = (row: number) => (row * rowBytes) / 8;
const integersAt = (row: number) => (row * rowBytes + 32) / 4;
const sha256At = (row: number) => row * rowBytes + 56;

/**
 * What tells that a file has not changed: a new content changes the change time (ctime), whatever `touch -r` or an
 * unpacking program does to the modification time. Times are exact to 0.3 µs, far below the minute of `isSettled`.
 * Undefined if it is not a regular file, or is on another device.
 */
function currentStats(path: string, device: number): FileStats | undefined {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.dev === device ? stats : undefined;
  } catch {
    return undefined;
  }
}

/** By the magic number of statfs: local disks. Others cache (network), lack change times (FAT) or miss some (tmpfs). */
const trustedFileSystems = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x794c7630, // overlayfs, in containers
]);

/** The device of a folder, if the change times of its files can be trusted. */
export function trustedDevice(folder: string): number | undefined {
  try {
    const isTrusted = process.platform === 'linux' && trustedFileSystems.has(statfsSync(folder).type);
    return isTrusted ? statSync(folder).dev : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A file that changed later than this before a packing is read again by the next one. A change right after we have read
 * it may get the same change time, whose steps are up to two seconds long; and a page that a program has mapped gets a
 * new one only after it was written back, which takes up to 35 seconds.
 */
const settledMs = 60_000;

export function isSettled(ctimeMs: number, startedAt: number): boolean {
  return ctimeMs < startedAt - settledMs;
}
