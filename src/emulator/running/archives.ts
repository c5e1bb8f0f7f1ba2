import { randomUUID } from 'node:crypto';
import { chmodSync, createWriteStream, existsSync, linkSync, lstatSync, mkdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, openPromise, validateFileName, type ZipFile } from 'yauzl';
import { attempt } from '../../kernel/errors.ts';
import type { FileList, ReadArchive } from '../model/builds/script.ts';

interface ArchiveFile {
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
async function* iterateArchive(path: string): AsyncGenerator<ArchiveFile> {
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
    path: posix.normalize(entry.fileName),
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

/** What was unpacked, so that the next version need not write the same files again. */
export interface Unpacked {
  folder: string;
  /** Files by path: what the archive says of one, and what it was on disk when it was written. */
  files: Map<string, { content: string; state: string }>;
}

/**
 * Replaces a folder by the files of a zip. Those that are as in the version before, and that nobody has changed since, are
 * links to its files, which are much faster made. Leaves nothing behind on failure.
 */
export async function unpackZip(path: string, folder: string, before?: Unpacked): Promise<Unpacked> {
  const files: Unpacked['files'] = new Map();
  await replaceFolder(folder, async (place) => {
    for await (const { path: name, size, crc32, executable, read } of iterateArchive(path)) {
      const content = `${size} ${crc32} ${executable}`;
      const target = place(name);
      const earlier = before?.files.get(name);
      if (before && earlier?.content === content && linkSame(join(before.folder, name), earlier.state, target)) {
        files.set(name, earlier);
        continue;
      }
      await writeFile(target, executable, read());
      files.set(name, { content, state: stateOf(target) });
    }
  });
  return { folder, files };
}

/** False if the file is not as it was, or if its file system has no links. */
function linkSame(file: string, state: string, target: string): boolean {
  if (stateOf(file) !== state) return false;
  attempt(() => linkSync(file, target));
  return existsSync(target);
}

/** Other than before if somebody has changed the file; empty if there is none. */
function stateOf(file: string): string {
  const { ino, mode, size, mtimeMs } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? '' : [ino, mode, size, mtimeMs].join(' ');
}

/** Replaces a folder by the files of a tar, and returns their paths. */
export async function unpackTar(bytes: Uint8Array, folder: string): Promise<string[]> {
  const files = await readTar(bytes);
  await replaceFolder(folder, async (place) => {
    for (const { path, executable, content } of files) await writeFile(place(path), executable, [content]);
  });
  return files.map(({ path }) => path);
}

type Content = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Makes the folders above a file, and returns where it is to be. */
type PlaceFile = (path: string) => string;

/**
 * What is in it has the modes of an archive, for any user of a container. Only the owner gets past the folder around it.
 */
async function replaceFolder(folder: string, fill: (place: PlaceFile) => Promise<void>): Promise<void> {
  const partial = `${folder}.${randomUUID()}.partial`;
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const createdFolders = new Set([dirname(folder)]);
  const makeFolder = (path: string) => {
    if (createdFolders.has(path)) return;
    makeFolder(dirname(path));
    mkdirSync(path);
    chmodSync(path, 0o755);
    createdFolders.add(path);
  };
  try {
    makeFolder(partial);
    await fill((path) => {
      const target = join(partial, path);
      makeFolder(dirname(target));
      return target;
    });
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Never follows a link or overwrites a file. Links are written as files with their target: none points outside. */
async function writeFile(target: string, executable: boolean, content: Content): Promise<void> {
  await pipeline(content, createWriteStream(target, { flags: 'wx' }));
  chmodSync(target, executable ? 0o755 : 0o644);
}

interface TarFile {
  path: string;
  content: Buffer;
  executable: boolean;
}

/** The files of an uncompressed tar, without folders. Rejects if it is damaged or has entries of other types. */
export async function readTar(bytes: Uint8Array): Promise<TarFile[]> {
  const { extract } = await import('tar-stream');
  const entries = extract();
  entries.end(bytes);
  const files: TarFile[] = [];
  for await (const entry of entries) {
    const { name, type, mode = 0 } = entry.header;
    if (type === 'directory') continue;
    if (type !== 'file') throw new Error(`the tar has an entry that is not a file: ${name}`);
    const problem = validateFileName(name);
    if (problem) throw new Error(problem);
    const content = await buffer(entry);
    // The oldest format marks a folder only by the slash.
    if (!name.endsWith('/')) files.push({ path: posix.normalize(name), content, executable: (mode & 0o111) !== 0 });
  }
  return files;
}
