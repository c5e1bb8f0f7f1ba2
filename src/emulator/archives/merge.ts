import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';

/**
 * Adds the files of a zip to those of another: a file of the same path is replaced. The result takes the place of `part`.
 * Neither may need zip64. Throws if one of them is not a valid zip.
 */
export function mergeArchives(base: string, part: string): void {
  const [before, added] = [readDirectory(base), readDirectory(part)];
  const merged = `${part}.merged`;
  copyFileSync(base, merged);
  const target = openSync(merged, 'r+');
  try {
    ftruncateSync(target, before.offset);
    copyBytes(part, target, added.offset, before.offset);
    const kept = [...before.records].filter(([name]) => !added.records.has(name)).map(([, record]) => record);
    const moved = [...added.records.values()].map((record) => movedBy(record, before.offset));
    const records = Buffer.concat([...kept, ...moved]);
    const offset = before.offset + added.offset;
    writeAll(
      target,
      Buffer.concat([records, directoryEnd(kept.length + moved.length, records.length, offset)]),
      offset,
    );
  } finally {
    closeSync(target);
  }
  renameSync(merged, part);
}

interface Directory {
  /** Where the data of all files ends. */
  offset: number;
  /** Central records by the name of the file. */
  records: Map<string, Buffer>;
}

const endBytes = 22;
const recordBytes = 46;

/** A zip without a comment, as clients write it. */
function readDirectory(path: string): Directory {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const end = readBytes(file, size - endBytes, endBytes);
    if (end.readUInt32LE(0) !== 0x06054b50) throw new Error('it has no end of central directory');
    const [count, bytes, offset] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
    if (count === 0xffff || offset === 0xffffffff) throw new Error('it is too large for a partial upload');
    return { offset, records: splitRecords(readBytes(file, offset, bytes)) };
  } finally {
    closeSync(file);
  }
}

function splitRecords(directory: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (let at = 0; at < directory.length; ) {
    if (at + recordBytes > directory.length || directory.readUInt32LE(at) !== 0x02014b50) {
      throw new Error('its central directory is damaged');
    }
    const nameBytes = directory.readUInt16LE(at + 28);
    const length = recordBytes + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    const name = directory.toString('utf8', at + recordBytes, at + recordBytes + nameBytes);
    records.set(name, directory.subarray(at, at + length));
    at += length;
  }
  return records;
}

/** The same record, of a file whose data was moved. */
function movedBy(record: Buffer, bytes: number): Buffer {
  const moved = Buffer.from(record);
  moved.writeUInt32LE(moved.readUInt32LE(42) + bytes, 42);
  return moved;
}

function directoryEnd(count: number, bytes: number, offset: number): Buffer {
  const end = Buffer.alloc(endBytes);
  end.writeUInt32LE(0x06054b50, 0);
  for (const at of [8, 10]) end.writeUInt16LE(count, at);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

const blockBytes = 2 ** 20;

function copyBytes(path: string, target: number, length: number, at: number): void {
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < length; done += blockBytes) {
      writeAll(target, readBytes(file, done, Math.min(blockBytes, length - done)), at + done);
    }
  } finally {
    closeSync(file);
  }
}

function readBytes(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (position < 0 || readSync(file, bytes, 0, length, position) !== length) throw new Error('it is truncated');
  return bytes;
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}
