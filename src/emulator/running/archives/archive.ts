import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { crc32, inflateRawSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { turn } from '../../../kernel/clock.ts';
import type { FileList, ReadArchive } from '../../model/builds/stages.ts';
import { ArchiveNames } from './archive-names.ts';

export interface ArchiveFile {
  path: string;
  size: number;
  crc32: number;
  executable: boolean;
  /** Checks size and checksum while reading. */
  read(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** Does not unpack the files. Rejects if the archive is not a valid zip. */
export async function listArchive(path: string): Promise<FileList> {
  const files: FileList = new Map();
  for await (const file of iterateArchive(path)) files.set(file.path, sizeAndChecksum(file));
  return files;
}

/** What an archive says of a file. */
export function contentOf({ size, crc32, executable }: Pick<ArchiveFile, 'size' | 'crc32' | 'executable'>): string {
  return `${size} ${crc32} ${executable}`;
}

/**
 * Reads every file but those whose content is known from an earlier archive. Rejects if the archive or a file in it is
 * damaged.
 */
export async function readArchive(
  path: string,
  textPaths: readonly string[],
  known: (path: string) => string | undefined = () => undefined,
  limits = archiveLimits,
): Promise<ReadArchive> {
  const archive: ReadArchive = { files: new Map(), contents: new Map() };
  for await (const file of iterateArchive(path, limits)) {
    const keep = textPaths.includes(file.path);
    if (keep && file.size > maxTextBytes) throw new Error(`${file.path} is larger than ${maxTextBytes} bytes`);
    const chunks: Buffer[] = [];
    const content = keep || known(file.path) !== contentOf(file) ? file.read() : [];
    for await (const chunk of content) if (keep) chunks.push(chunk);
    archive.files.set(file.path, sizeAndChecksum(file));
    if (keep) archive.contents.set(file.path, Buffer.concat(chunks));
  }
  return archive;
}

/** Lists of packages are held in memory. */
const maxTextBytes = 1024 ** 2;

/** The files of a zip in order, without folders. Throws if a name is invalid or a limit is exceeded. */
export async function* iterateArchive(path: string, limits = archiveLimits): AsyncGenerator<ArchiveFile> {
  const source = new BlockReader(path);
  try {
    const options = { autoClose: false, lazyEntries: true, strictFileNames: true };
    const zip = await fromRandomAccessReaderPromise(source, source.size, options);
    if (zip.entryCount > limits.entries) throw new Error(`it has more than ${limits.entries} files`);
    const names = new ArchiveNames();
    const budget = new UnpackedBudget(limits, source.size);
    let sliceEnd = performance.now() + maxBlockingMs;
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) names.addFolder(entry.fileName);
      else yield archiveFile(entry, zip, source, names.addFile(entry.fileName), budget);
      if (performance.now() < sliceEnd) continue;
      await turn();
      sliceEnd = performance.now() + maxBlockingMs;
    }
  } finally {
    source.closeFile();
  }
}

/** Small files are read synchronously, which is much faster, but not for longer than this at a time. */
const maxBlockingMs = 10;

/** Files up to this size, compressed and uncompressed, are unpacked in memory. */
const maxHeldBytes = 1024 ** 2;

function archiveFile(
  entry: Entry,
  zip: ZipFile,
  source: BlockReader,
  path: string,
  budget: UnpackedBudget,
): ArchiveFile {
  const { uncompressedSize: size, compressedSize } = entry;
  budget.add(size);
  const isSmall = size <= maxHeldBytes && compressedSize <= maxHeldBytes;
  return {
    path,
    size,
    crc32: entry.crc32,
    // The upper 16 bits are the Unix mode.
    executable: ((entry.externalFileAttributes >>> 16) & 0o111) !== 0,
    read: () => (isSmall ? [readSmallFile(entry, source)] : readLargeFile(entry, zip)),
  };
}

function sizeAndChecksum({ size, crc32 }: ArchiveFile) {
  return { size, crc32 };
}

/** Throws as soon as the declared sizes exceed a limit; yauzl checks that each file has its declared size. */
class UnpackedBudget {
  #bytes = 0;

  constructor(
    private readonly limits: typeof archiveLimits,
    private readonly archiveBytes: number,
  ) {}

  add(size: number): void {
    this.#bytes += size;
    const { bytes, ratio, ratioFrom } = this.limits;
    if (this.#bytes > bytes) throw new Error(`it unpacks to more than ${bytes} bytes`);
    if (this.#bytes > ratioFrom && this.#bytes > this.archiveBytes * ratio) {
      throw new Error(`it unpacks to more than ${ratio} times its size`);
    }
  }
}

/** Avoids a stream, which would take most of the time of an archive with many small files. */
function readSmallFile(entry: Entry, source: BlockReader): Buffer {
  const { fileName, uncompressedSize: size, compressionMethod: method } = entry;
  if (entry.isEncrypted()) throw new Error(`${fileName} is encrypted`);
  const stored = source.slice(dataStart(entry, source), entry.compressedSize);
  const content = method === 0 ? stored : inflated(fileName, stored, method, size);
  if (content.length !== size) throw new Error(`wrong size of ${fileName}`);
  if (crc32(content) !== entry.crc32) throw new Error(`bad checksum of ${fileName}`);
  return content;
}

function inflated(fileName: string, stored: Buffer, method: number, size: number): Buffer {
  if (method !== 8) throw new Error(`${fileName} has an unsupported compression method: ${method}`);
  try {
    return inflateRawSync(stored, { maxOutputLength: size + 1 });
  } catch (cause) {
    throw new Error(`${fileName} is damaged: ${(cause as Error).message}`, { cause });
  }
}

/** The extra field of the local header may differ in length from the central one. */
function dataStart({ fileName, relativeOffsetOfLocalHeader: start }: Entry, source: BlockReader): number {
  const header = source.slice(start, 30);
  if (header.readUInt32LE(0) !== 0x04034b50) throw new Error(`${fileName} is damaged: its header is missing`);
  return start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

/** yauzl checks sizes but not checksums. */
async function* readLargeFile(entry: Entry, zip: ZipFile): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) throw new Error(`bad checksum of ${entry.fileName}`);
}

const blockBytes = 1024 ** 2;

/** Reads the zip's directory in large blocks: yauzl alone reads twice from disk for each entry. */
class BlockReader extends RandomAccessReader {
  readonly size: number;
  readonly #descriptor: number;
  #block: { from: number; bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) };

  constructor(private readonly path: string) {
    super();
    this.#descriptor = openSync(path, 'r');
    this.size = fstatSync(this.#descriptor).size;
  }

  /** Throws if the file is too short. */
  slice(start: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    if (start + length > this.size || readSync(this.#descriptor, bytes, 0, length, start) < length)
      throw new Error('it is truncated');
    return bytes;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let problem: Error | null = null;
    try {
      this.#sliceOfBlock(position, length).copy(buffer, offset);
    } catch (error) {
      problem = error as Error;
    }
    callback(problem);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return createReadStream(this.path, { start, end: end - 1 });
  }

  closeFile(): void {
    closeSync(this.#descriptor);
  }

  #sliceOfBlock(start: number, length: number): Buffer {
    const { from, bytes } = this.#block;
    if (start < from || start + length > from + bytes.length)
      this.#block = {
        from: start,
        bytes: this.slice(start, Math.max(length, Math.min(blockBytes, this.size - start))),
      };
    return this.#block.bytes.subarray(start - this.#block.from, start - this.#block.from + length);
  }
}

/** Limits that keep a small upload from filling the disk. */
export const archiveLimits = {
  /** Unpacked; the platform allows 100 GiB. */
  bytes: 4 * 1024 ** 3,
  entries: 1_000_000,
  /** Maximum compression ratio, checked from `ratioFrom` unpacked bytes on. */
  ratio: 100,
  ratioFrom: 256 * 1024 ** 2,
};
