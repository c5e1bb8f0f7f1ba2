import { readFile, stat } from 'node:fs/promises';
import { normalize } from 'node:path/posix';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl';
import type { FileList, ReadArchive } from '../../model/builds/stages.ts';

export interface ArchiveFile {
  path: string;
  size: number;
  crc32: number;
  executable: boolean;
  /** Checks size and checksum while reading. */
  read(): AsyncIterable<Buffer>;
}

/** Does not unpack the files. Rejects if the archive is not a valid zip. */
export async function listArchive(path: string): Promise<FileList> {
  return (await readArchive(path, [])).files;
}

/** What an archive says of a file. */
export function contentOf({ size, crc32, executable }: Pick<ArchiveFile, 'size' | 'crc32' | 'executable'>): string {
  return `${size} ${crc32} ${executable}`;
}

/** Lists the files of an archive, and reads some of them. Rejects if the archive or one of these is damaged. */
export async function readArchive(path: string, textPaths: readonly string[]): Promise<ReadArchive> {
  const archive: ReadArchive = { files: new Map(), contents: new Map() };
  for await (const { path: name, size, crc32, read } of iterateArchive(path)) {
    archive.files.set(name, { size, crc32 });
    if (textPaths.includes(name)) archive.contents.set(name, await buffer(read()));
  }
  return archive;
}

/** The files of a zip in order, without folders. Throws for a name that leads out of its folder. */
export async function* iterateArchive(path: string): AsyncGenerator<ArchiveFile> {
  const zip = await openArchive(path);
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) yield archiveFile(entry, zip);
    }
  } finally {
    zip.close();
  }
}

/** Beyond it, memory matters more than time. */
const maxBytesAtOnce = 64 * 2 ** 20;

/** In a file, yauzl reads twice for each entry. */
async function openArchive(path: string): Promise<ZipFile> {
  const options = { autoClose: false, lazyEntries: true, strictFileNames: true };
  const { size } = await stat(path);
  return size > maxBytesAtOnce ? openPromise(path, options) : fromBufferPromise(await readFile(path), options);
}

function archiveFile(entry: Entry, zip: ZipFile): ArchiveFile {
  return {
    path: normalize(entry.fileName),
    size: entry.uncompressedSize,
    crc32: entry.crc32,
    // The upper 16 bits are the Unix mode.
    executable: ((entry.externalFileAttributes >>> 16) & 0o111) !== 0,
    read: () => contentsOf(entry, zip),
  };
}

/** yauzl checks sizes but not checksums. */
async function* contentsOf(entry: Entry, zip: ZipFile): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) throw new Error(`bad checksum of ${entry.fileName}`);
}
