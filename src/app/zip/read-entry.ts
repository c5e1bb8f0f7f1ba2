import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { compressionMethods } from './records.ts';

const endBytes = 22;
const centralBytes = 46;
const localBytes = 30;

/** The text of a file in an archive that gantry has packed; undefined if it has none of this name. */
export async function readArchivedText(archive: string, path: string): Promise<string | undefined> {
  const file = await open(archive);
  try {
    const { size } = await file.stat();
    const read = async (position: number, length: number) =>
      (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
    const end = await read(Math.max(0, size - endBytes), Math.min(size, endBytes));
    if (end.length < endBytes || end.readUInt32LE(0) !== 0x06054b50) return undefined;
    const directory = await read(end.readUInt32LE(16), end.readUInt32LE(12));
    for (let at = 0; at + centralBytes <= directory.length; ) {
      const [nameBytes, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
      const name = directory.toString('utf8', at + centralBytes, at + centralBytes + (nameBytes ?? 0));
      if (name === path) {
        const local = directory.readUInt32LE(at + 42);
        const header = await read(local, localBytes);
        const start = local + localBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
        const bytes = await read(start, directory.readUInt32LE(at + 20));
        const isStored = directory.readUInt16LE(at + 10) === compressionMethods.stored;
        return String(isStored ? bytes : await promisify(inflateRaw)(bytes));
      }
      at += centralBytes + (nameBytes ?? 0) + (extra ?? 0) + (comment ?? 0);
    }
    return undefined;
  } finally {
    await file.close();
  }
}
