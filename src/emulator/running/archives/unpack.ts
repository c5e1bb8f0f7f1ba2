import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, createWriteStream, linkSync, lstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { iterateArchive } from './archive.ts';
import { ArchiveNames } from './archive-names.ts';
import type { ArchiveLimits } from './limits.ts';
import { readTar } from './tar.ts';

/** What was unpacked, so that the next version need not write the same files again. */
export interface Unpacked {
  folder: string;
  /** By path: what the archive says of a file, and what it was on disk when it was written. */
  files: Map<string, { content: string; state: string }>;
}

/**
 * Replaces a folder by the files of a zip. Those that are as in the version before, and that nobody has changed since, are
 * links to its files, which are much faster made. Leaves nothing behind on failure.
 */
export async function unpackZip(
  path: string,
  folder: string,
  limits: ArchiveLimits,
  before?: Unpacked,
): Promise<Unpacked> {
  const files: Unpacked['files'] = new Map();
  await replaceFolder(folder, async (place) => {
    for await (const { path: name, size, crc32, executable, read } of iterateArchive(path, limits)) {
      const target = place(name);
      const content = `${size} ${crc32} ${executable}`;
      const known = before?.files.get(name);
      const isKept = before && known?.content === content && linkSame(join(before.folder, name), known.state, target);
      if (!isKept) await writeFile(target, executable, read());
      files.set(name, isKept ? known : { content, state: stateOf(target) });
    }
  });
  return { folder, files };
}

/** False if the file is not as it was, or if its file system has no links. */
function linkSame(file: string, state: string, target: string): boolean {
  if (stateOf(file) !== state) return false;
  try {
    linkSync(file, target);
    return true;
  } catch {
    return false;
  }
}

/** Other than before if somebody has changed the file; empty if there is none. */
function stateOf(file: string): string {
  const { ino, mode, size, mtimeMs } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? '' : [ino, mode, size, mtimeMs].join(' ');
}

/** Replaces a folder by the files of a tar, and returns their paths. */
export async function unpackTar(bytes: Uint8Array, folder: string): Promise<string[]> {
  const names = new ArchiveNames();
  const files = readTar(bytes).map((file) => ({ ...file, path: names.addFile(file.path) }));
  await replaceFolder(folder, async (place) => {
    for (const { path, executable, content } of files) await writeFile(place(path), executable, [Buffer.from(content)]);
  });
  return files.map(({ path }) => path);
}

type Content = AsyncIterable<Buffer> | Iterable<Buffer>;
/** Makes the folders above a file, and returns where it is to be. */
type Place = (path: string) => string;

/** What is in it has the modes of an archive, for any user of a container. Only the owner gets past the folder around it. */
async function replaceFolder(folder: string, fill: (place: Place) => Promise<void>): Promise<void> {
  const partial = `${folder}.${randomUUID()}.partial`;
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const createdFolders = new Set<string>();
  const makeFolder = (path: string) => {
    if (createdFolders.has(path)) return;
    if (path !== partial) makeFolder(dirname(path));
    createdFolders.add(path);
    mkdirSync(path);
    chmodSync(path, 0o755);
  };
  makeFolder(partial);
  try {
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
  await writeContent(target, content);
  chmodSync(target, executable ? 0o755 : 0o644);
}

async function writeContent(target: string, content: Content): Promise<void> {
  if (!Array.isArray(content)) return pipeline(content, createWriteStream(target, { flags: 'wx' }));
  const file = openSync(target, 'wx');
  try {
    for (const chunk of content) {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
    }
  } finally {
    closeSync(file);
  }
}
