import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  createWriteStream,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { attempt } from '../../../kernel/errors.ts';
import { contentOf, iterateArchive } from './archive.ts';
import { ArchiveNames } from './archive-names.ts';

/** What was unpacked, so that the next version need not write the same files again. */
export interface Unpacked {
  folder: string;
  /** By path: what the archive says of a file, and what it was on disk when it was written. */
  files: Map<string, { content: string; state: string }>;
}

/**
 * Replaces a folder by the files of a zip. Those that are as in the version before, and that nobody has changed since, are
 * links to its files, which are much faster made. A `spare` version, which nothing uses any more, becomes the folder: its
 * files that are still right need not even be linked. Leaves nothing behind on failure.
 */
export async function unpackZip(
  path: string,
  folder: string,
  { before, spare }: { before?: Unpacked | undefined; spare?: Unpacked | undefined } = {},
): Promise<Unpacked> {
  const files: Unpacked['files'] = new Map();
  const fill = async (place: Place) => {
    for await (const file of iterateArchive(path)) {
      const { path: name, executable, read } = file;
      const content = contentOf(file);
      const same = (version?: Unpacked) => {
        const known = version?.files.get(name);
        return known?.content === content ? known : undefined;
      };
      const { target, isThere } = place(name, same(spare)?.state);
      const known = isThere ? same(spare) : same(before);
      const isKept = known && (isThere || linkSame(join(before?.folder ?? '', name), known.state, target));
      if (!isKept) await writeFile(target, executable, read());
      files.set(name, isKept ? known : { content, state: stateOf(target) });
    }
  };
  try {
    await replaceFolder(folder, fill, spare?.folder);
  } catch (error) {
    if (!spare) throw error;
    // Whatever the app has made of it.
    return unpackZip(path, folder, { before });
  }
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
  const names = new ArchiveNames();
  const files = (await readTar(bytes)).map((file) => ({ ...file, path: names.addFile(file.path) }));
  await replaceFolder(folder, async (place) => {
    for (const { path, executable, content } of files) await writeFile(place(path).target, executable, [content]);
  });
  return files.map(({ path }) => path);
}

type Content = AsyncIterable<Buffer> | Iterable<Buffer>;
/** Makes the folders above a file, and returns where it is to be. What is there is removed, unless it has this state. */
type Place = (path: string, state?: string) => { target: string; isThere: boolean };

/**
 * What is in it has the modes of an archive, for any user of a container. Only the owner gets past the folder around it.
 * Begins with the `spare` folder, and keeps only what `fill` places.
 */
async function replaceFolder(folder: string, fill: (place: Place) => Promise<void>, spare?: string): Promise<void> {
  const partial = `${folder}.${randomUUID()}.partial`;
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const createdFolders = new Set<string>();
  /** What is there and was not placed yet, and whether it is a folder. */
  const found = new Map<string, boolean>();
  const makeFolder = (path: string) => {
    if (createdFolders.has(path)) return;
    if (path !== partial) makeFolder(dirname(path));
    createdFolders.add(path);
    const isFolder = found.get(path);
    found.delete(path);
    if (isFolder === false) rmSync(path);
    if (!isFolder) mkdirSync(path);
    chmodSync(path, 0o755);
  };
  try {
    if (spare) {
      await rename(spare, partial);
      found.set(partial, true);
      for (const entry of readdirSync(partial, { recursive: true, withFileTypes: true }))
        found.set(join(entry.parentPath, entry.name), entry.isDirectory());
    }
    makeFolder(partial);
    await fill((path, state) => {
      const target = join(partial, path);
      makeFolder(dirname(target));
      const isThere = state !== undefined && stateOf(target) === state;
      if (found.delete(target) && !isThere) rmSync(target, { recursive: true });
      return { target, isThere };
    });
    for (const path of found.keys())
      if (createdFolders.has(dirname(path))) rmSync(path, { recursive: true, force: true });
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
    const { name: path, type, mode = 0 } = entry.header;
    if (type === 'directory') continue;
    if (type !== 'file') throw new Error(`the tar has an entry that is not a file: ${path}`);
    const content = await buffer(entry);
    // The oldest format marks a folder only by the slash.
    if (!path.endsWith('/')) files.push({ path, content, executable: (mode & 0o111) !== 0 });
  }
  return files;
}
