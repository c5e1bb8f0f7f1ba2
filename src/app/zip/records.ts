/**
 * Named as in PKWARE's APPNOTE. For reproducible archives, all entries have the same date and one of two modes. Their size
 * is far below the limit of the format, but not their number: only the end may need zip64.
 */

import type { FileHandle } from 'node:fs/promises';
import type { FileEntry } from '../files/entry.ts';

export interface ZipEntry {
  path: string;
  executable: boolean;
  deflated: boolean;
  crc32: number;
  sha256: string;
  size: number;
  compressed: number;
  offset: number;
}

/** An entry of which only this is known yet. */
export function newZipEntry(
  { path, executable }: FileEntry,
  { deflated, size = 0, crc32 = 0, sha256 = '', data }: NewZipEntry,
): ZipEntry {
  return { path, executable, deflated, crc32, sha256, size, compressed: data?.length ?? 0, offset: 0 };
}

interface NewZipEntry extends Partial<Pick<ZipEntry, 'size' | 'crc32' | 'sha256'>> {
  deflated: boolean;
  data?: Uint8Array;
}

const max16 = 0xffff;
const utf8Names = 1 << 11;
/** 1980-01-01 00:00 */
const firstDay = { time: 0, date: (1 << 5) | 1 };
const version = { default: 20, zip64: 45 };
const madeByUnix = (3 << 8) | version.zip64;
const modes = { file: 0o100644, executable: 0o100755 };

function localHeader(item: ZipEntry): Buffer {
  const header = Buffer.allocUnsafe(30 + Buffer.byteLength(item.path));
  header.writeUInt32LE(0x04034b50, 0);
  writeShared(header, 4, item);
  header.write(item.path, 30);
  return header;
}

function centralRecord(item: ZipEntry): Buffer {
  const record = Buffer.allocUnsafe(46 + Buffer.byteLength(item.path));
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(madeByUnix, 4);
  writeShared(record, 6, item);
  record.fill(0, 32, 38); // no comment, disk or internal attributes
  record.writeUInt32LE((item.executable ? modes.executable : modes.file) * 0x10000, 38);
  record.writeUInt32LE(item.offset, 42);
  record.write(item.path, 46);
  return record;
}

function writeShared(target: Buffer, at: number, item: ZipEntry): void {
  target.writeUInt16LE(version.default, at);
  target.writeUInt16LE(utf8Names, at + 2);
  target.writeUInt16LE(item.deflated ? 8 : 0, at + 4);
  target.writeUInt16LE(firstDay.time, at + 6);
  target.writeUInt16LE(firstDay.date, at + 8);
  target.writeUInt32LE(item.crc32, at + 10);
  target.writeUInt32LE(item.compressed, at + 14);
  target.writeUInt32LE(item.size, at + 18);
  target.writeUInt16LE(Buffer.byteLength(item.path), at + 22);
  target.writeUInt16LE(0, at + 24); // no extra field
}

export interface CentralDirectory {
  count: number;
  /** Total bytes of the central records, and the offset of the first. */
  size: number;
  offset: number;
}

/** The end of central directory, preceded by the zip64 records if the number of entries does not fit. */
export function endOfArchive(directory: CentralDirectory): Buffer {
  const { count, size, offset } = directory;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, max16), 8);
  end.writeUInt16LE(Math.min(count, max16), 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return count < max16 ? end : Buffer.concat([zip64End(directory), end]);
}

function zip64End({ count, size, offset }: CentralDirectory): Buffer {
  const end = Buffer.alloc(56 + 20);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4); // length of this record without its first 12 bytes
  end.writeUInt16LE(madeByUnix, 12);
  end.writeUInt16LE(version.zip64, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);

  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(offset + size), 64); // offset of this record
  end.writeUInt32LE(1, 72); // number of disks
  return end;
}

export class ZipWriter {
  readonly entries: ZipEntry[] = [];
  readonly #output: BufferedFile;

  constructor(file: FileHandle) {
    this.#output = new BufferedFile(file);
  }

  /** Writes an entry whose sizes and checksum are known, and for which there was no room at once. */
  async writeEntry(entry: ZipEntry, data: Uint8Array): Promise<void> {
    await this.beginEntry(entry);
    await this.#output.append(data);
    this.entries.push(entry);
  }

  /** Writes without a promise, for one of many small files. Returns false if it has to wait for the disk. */
  writeAtOnce(entry: ZipEntry, data: Uint8Array): boolean {
    const header = localHeader(entry);
    if (!this.#output.hasRoomFor(header.length + data.length)) return false;
    entry.offset = this.#output.position;
    this.#output.appendAtOnce(header);
    this.#output.appendAtOnce(data);
    this.entries.push(entry);
    return true;
  }

  /** Starts an entry whose sizes and checksum are not known yet. */
  async beginEntry(entry: ZipEntry): Promise<void> {
    entry.offset = this.#output.position;
    await this.#output.append(localHeader(entry));
  }

  async data(entry: ZipEntry, bytes: Uint8Array): Promise<void> {
    entry.compressed += bytes.length;
    await this.#output.append(bytes);
  }

  /** Rewrites the header with the final sizes and checksum. */
  async finishEntry(entry: ZipEntry): Promise<void> {
    await this.#output.patch(localHeader(entry), entry.offset);
    this.entries.push(entry);
  }

  /** Writes the central directory. Returns the size of the archive. */
  async finish(): Promise<number> {
    const offset = this.#output.position;
    for (const entry of this.entries) {
      const record = centralRecord(entry);
      if (this.#output.hasRoomFor(record.length)) this.#output.appendAtOnce(record);
      else await this.#output.append(record);
    }
    const size = this.#output.position - offset;
    await this.#output.append(endOfArchive({ count: this.entries.length, size, offset }));
    await this.#output.flush();
    return this.#output.position;
  }
}

const bufferBytes = 2 ** 20;

/** Appends to a file. Small chunks are buffered. The caller may reuse appended bytes once the promise resolves. */
class BufferedFile {
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
