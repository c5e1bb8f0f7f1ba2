/**
 * A file with compressed content of many files: a file for each would take longer to open than to compress. It is written
 * once, under a random name, and never changed. Its index is at the end, so that a torn file is not taken for a whole one.
 *
 * The content of tiny files is one record for each batch of them. A record of the index: SHA-256 (32 bytes), offset (6), length (4), CRC-32 of the stored bytes (4). A length of 0 stands
 * for content that deflate does not make smaller.
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { openRegularSync } from '../../kernel/disk/index.ts';

export interface SegmentRecord {
  offset: number;
  length: number;
  crc32: number;
}

export type SegmentIndex = Map<string, SegmentRecord>;

export const segmentEnding = '.members';
const recordBytes = 46;
/** Number of records (4 bytes), CRC-32 of the index (4), the name of the format. */
const format = Buffer.from('gantry01');
const trailerBytes = 8 + format.length;

/** A complete segment of an earlier packing. */
export class PackedSegment {
  /** Whether a member was used, or found to be damaged. */
  wasUsed = false;
  isDamaged = false;
  #file: number | undefined;

  private constructor(
    readonly path: string,
    readonly bytes: number,
    readonly index: SegmentIndex,
  ) {}

  /** Undefined if it is not complete. Throws system errors. */
  static open(path: string): PackedSegment | undefined {
    const file = openRegularSync(path);
    try {
      const { size } = fstatSync(file);
      const index = readIndex(file, size);
      return index && new PackedSegment(path, size, index);
    } finally {
      closeSync(file);
    }
  }

  /** The stored bytes; undefined if they are not what was written. */
  read({ offset, length, crc32: expected }: SegmentRecord): Buffer | undefined {
    try {
      this.#file ??= openRegularSync(this.path);
      const bytes = readExactly(this.#file, offset, length);
      this.wasUsed = true;
      if (bytes && crc32(bytes) === expected) return bytes;
      this.isDamaged = true;
    } catch {
      // Another process has removed it, or the disk cannot read it.
    }
    return undefined;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

export function encodeIndex(index: SegmentIndex): Buffer {
  const records = Buffer.alloc(index.size * recordBytes);
  let at = 0;
  for (const [key, { offset, length, crc32: sum }] of index) {
    records.write(key, at, 'base64');
    records.writeUIntBE(offset, at + 32, 6);
    records.writeUInt32BE(length, at + 38);
    records.writeUInt32BE(sum, at + 42);
    at += recordBytes;
  }
  const counts = Buffer.alloc(8);
  counts.writeUInt32BE(index.size, 0);
  counts.writeUInt32BE(crc32(records), 4);
  return Buffer.concat([records, counts, format]);
}

function readIndex(file: number, size: number): SegmentIndex | undefined {
  const trailer = readExactly(file, size - trailerBytes, trailerBytes);
  if (!trailer?.subarray(8).equals(format)) return undefined;
  const indexBytes = trailer.readUInt32BE(0) * recordBytes;
  const start = size - trailerBytes - indexBytes;
  const records = readExactly(file, start, indexBytes);
  if (!records || crc32(records) !== trailer.readUInt32BE(4)) return undefined;
  const index: SegmentIndex = new Map();
  for (let at = 0; at < indexBytes; at += recordBytes) {
    index.set(records.toString('base64', at, at + 32), {
      offset: records.readUIntBE(at + 32, 6),
      length: records.readUInt32BE(at + 38),
      crc32: records.readUInt32BE(at + 42),
    });
  }
  return index;
}

/** Undefined if the file is too short. */
function readExactly(file: number, offset: number, length: number): Buffer | undefined {
  if (offset < 0) return undefined;
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) return undefined;
    done += count;
  }
  return bytes;
}
