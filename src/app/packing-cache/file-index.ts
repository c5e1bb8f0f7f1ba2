/**
 * What is known of the files of one app folder, by their path. It holds as long as the identity of a file does. In columns
 * of numbers, in memory as on disk: for 50,000 small files, objects and their JSON would take half as long as packing them.
 */
import { createHash } from 'node:crypto';
import { statfsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { writeFileAtomic } from '../../kernel/disk/index.ts';
import { attempt } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import type { FileStats } from '../files/entry.ts';

/** Checksums of a content. SHA-256 is its identity; CRC-32 is what zip archives and the platform's lists have. */
export interface Checksums {
  crc32: number;
  sha256: string;
}

/** Where what a file compresses to is: in a file of members, by the number of that. */
export interface MemberPlace {
  members: number;
  at: number;
  length: number;
}

export interface KnownContent extends Checksums {
  size: number;
  /** Null if it does not shrink; undefined if only its checksums are known, because it was read and not packed. */
  packed: MemberPlace | null | undefined;
}

/** A file of members: its name, and the CRC-32 of each of its chunks. */
interface Members {
  name: string;
  sums: number[];
}

interface Head {
  paths: string[];
  members: [number: number, members: Members][];
}

export class FileIndex {
  readonly #rows: Map<string, number>;
  #bytes = Buffer.alloc(0);
  #doubles = new Float64Array(0);
  #integers = new Uint32Array(0);
  #count: number;

  private constructor(
    /** What the archive depends on besides the files. */
    private readonly salt: string,
    /** The device of the files; undefined if their change times cannot be trusted. */
    readonly device: number | undefined,
    readonly members: Map<number, Members>,
    paths: readonly string[],
    rows: Uint8Array,
  ) {
    this.#rows = new Map(paths.map((path, row) => [path, row]));
    this.#count = paths.length;
    this.#resize(this.#count);
    this.#bytes.set(rows);
  }

  /** Reads the index; a missing or damaged file gives an empty one. */
  static async read(path: string, compression: string, device: number | undefined): Promise<FileIndex> {
    const salt = `files 6 ${device} ${endianness()}\n${compression}`;
    const content = await readFile(path).catch(() => Buffer.alloc(0));
    const body = content.subarray(digestBytes);
    const isWhole = digestOf(salt, body).equals(content.subarray(0, digestBytes));
    if (!isWhole) return new FileIndex(salt, device, new Map(), [], new Uint8Array(0));
    const headEnd = body.indexOf('\n');
    const { paths, members } = tryParseJson(body.toString('utf8', 0, headEnd)) as Head;
    return new FileIndex(salt, device, new Map(members), paths, body.subarray(headEnd + 1));
  }

  /** What is known of a file that has not changed. */
  recall(path: string, stats: FileStats | undefined): KnownContent | undefined {
    const row = this.#rows.get(path);
    return row !== undefined && this.#isUnchanged(row, stats) ? this.contentOf(path) : undefined;
  }

  /** Whether a file with these stats has not changed since it was learned. */
  #isUnchanged(row: number, stats: FileStats | undefined): boolean {
    const at = doublesAt(row);
    return (
      stats !== undefined &&
      stats.dev === this.device &&
      this.#doubles[at] === stats.ino &&
      this.#doubles[at + 1] === stats.size &&
      this.#doubles[at + 2] === stats.mtimeMs &&
      this.#doubles[at + 3] === stats.ctimeMs
    );
  }

  /** Whether a file with these stats cannot change without a trace. */
  canLearn({ dev, ctimeMs }: FileStats, startedAt: number): boolean {
    return dev === this.device && ctimeMs < startedAt - settledMs;
  }

  /** What is known of a file, whether or not it has changed. */
  contentOf(path: string): KnownContent | undefined {
    const row = this.#rows.get(path);
    if (row === undefined) return undefined;
    const sha256 = this.#bytes.toString('hex', sha256At(row), sha256At(row) + sha256Bytes);
    const size = this.#doubles[doublesAt(row) + 1] ?? 0;
    return { crc32: this.#integer(row, columns.crc32), sha256, size, packed: this.#packedOf(row) };
  }

  #packedOf(row: number): KnownContent['packed'] {
    const form = this.#integer(row, columns.form);
    if (form !== forms.packed) return form === forms.stored ? null : undefined;
    const members = this.#integer(row, columns.members);
    return { members, at: this.#integer(row, columns.at), length: this.#integer(row, columns.length) };
  }

  set(path: string, stats: FileStats | undefined, { crc32, sha256, size, packed }: KnownContent): void {
    const row = this.#count++;
    if (this.#count * rowBytes > this.#bytes.length) this.#resize(2 * this.#count);
    // Not a number equals none.
    const { ino, mtimeMs, ctimeMs } = stats ?? { ino: Number.NaN, mtimeMs: 0, ctimeMs: 0 };
    this.#doubles.set([ino, size, mtimeMs, ctimeMs], doublesAt(row));
    const form = packed ? forms.packed : packed === null ? forms.stored : forms.unknown;
    const { members, at, length } = packed ?? { members: 0, at: 0, length: 0 };
    // In the order of the columns.
    this.#integers.set([crc32, form, members, at, length], integersAt(row));
    this.#bytes.write(sha256, sha256At(row), sha256Bytes, 'hex');
    this.#rows.set(path, row);
  }

  /** Without files that are not `among` these. Throws system errors. */
  async write(file: string, among?: ReadonlySet<string>): Promise<void> {
    const live = [...this.#rows].filter(([path]) => among?.has(path) ?? true);
    const rows = Buffer.allocUnsafe(live.length * rowBytes);
    for (const [index, [, row]] of live.entries())
      this.#bytes.copy(rows, index * rowBytes, row * rowBytes, (row + 1) * rowBytes);
    const head: Head = { paths: live.map(([path]) => path), members: [...this.members] };
    const body = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), rows]);
    await writeFileAtomic(file, Buffer.concat([digestOf(this.salt, body), body]), { mode: 0o600 });
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

const digestBytes = 32;

/** Damage and other versions of the format differ in it. */
function digestOf(salt: string, body: Uint8Array): Buffer {
  return createHash('sha256').update(`${salt}\n`).update(body).digest();
}

/** A row: four doubles, five integers and four unused bytes, the SHA-256. */
const rowBytes = 88;
const sha256Bytes = 32;
const columns = { crc32: 0, form: 1, members: 2, at: 3, length: 4 };
const forms = { unknown: 0, stored: 1, packed: 2 };
const doublesAt = (row: number) => (row * rowBytes) / 8;
const integersAt = (row: number) => (row * rowBytes + 32) / 4;
const sha256At = (row: number) => row * rowBytes + 56;

/** Local disks, by the magic number of statfs. Others cache (network), lack change times (FAT) or miss some (tmpfs). */
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
  const isTrusted = attempt(() => process.platform === 'linux' && trustedFileSystems.has(statfsSync(folder).type));
  return isTrusted ? statSync(folder, { throwIfNoEntry: false })?.dev : undefined;
}

/**
 * A file that changed later than this before a packing is read again by the next one. A change right after we have read
 * it may get the same change time, whose steps are up to two seconds long; and a page that a program has mapped gets a
 * new one only after it was written back, which takes up to 35 seconds.
 */
const settledMs = 60_000;
