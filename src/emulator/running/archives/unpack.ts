import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  createWriteStream,
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
import { pipeline } from 'node:stream/promises';
import { type ArchiveLimits, contentOf, iterateArchive } from './archive.ts';
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
  limits: ArchiveLimits,
  { before, spare }: { before?: Unpacked | undefined; spare?: Unpacked | undefined } = {},
): Promise<Unpacked> {
  const files: Unpacked['files'] = new Map();
  const fill = async (place: Place) => {
    for await (const file of iterateArchive(path, limits)) {
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
    return unpackZip(path, folder, limits, { before });
  }
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
    for (const { path, executable, content } of files)
      await writeFile(place(path).target, executable, [Buffer.from(content)]);
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

interface TarEntry {
  path: string;
  content: Uint8Array;
  executable: boolean;
}

/** The files of an uncompressed tar, without folders. Throws if it is damaged or has entries of other types. */
export function readTar(bytes: Uint8Array): TarEntry[] {
  const files: TarEntry[] = [];
  // A long path or a large size comes in an entry before the one it applies to.
  let overrides: PaxOverrides = {};
  let offset = 0;
  while (offset + block <= bytes.length) {
    const header = bytes.subarray(offset, offset + block);
    if (header.every((byte) => byte === 0)) return files;
    const facts = readHeader(header);
    const { path, size, type, mode } = 'xgL'.includes(facts.type) ? facts : { ...facts, ...overrides };
    const content = contentAt(bytes, offset + block, size);
    offset += (1 + Math.ceil(size / block)) * block;

    if (type === 'L') overrides = { ...overrides, path: textOf(content) };
    else if (type === 'x') overrides = { ...overrides, ...readPax(content) };
    else {
      overrides = {};
      if (isFile(type, path)) files.push({ path, content, executable: (mode & 0o111) !== 0 });
    }
  }
  throw new Error('the tar has no end marker');
}

function contentAt(bytes: Uint8Array, start: number, size: number): Uint8Array {
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('the tar is damaged: invalid size');
  const content = bytes.subarray(start, start + size);
  if (content.length < size) throw new Error('the tar ends in the middle of a file');
  return content;
}

interface PaxOverrides {
  path?: string;
  size?: number;
}

const block = 512;

/** False for what applies to all entries, and for folders, which the oldest format marks only by a trailing slash. */
function isFile(type: string, path: string): boolean {
  if (type === 'g' || type === '5' || (type === '0' && path.endsWith('/'))) return false;
  if (type === '0' || type === '7') return true;
  throw new Error(`the tar has an entry that is not a file: ${path}`);
}

function readHeader(header: Uint8Array) {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (sum !== octal(header, 148, 8)) throw new Error('not a tar, or a damaged one');
  const prefix = textOf(header.subarray(257, 262)) === 'ustar' ? textOf(header.subarray(345, 500)) : '';
  const name = textOf(header.subarray(0, 100));
  return {
    path: prefix ? `${prefix}/${name}` : name,
    size: octal(header, 124, 12),
    mode: octal(header, 100, 8),
    // The oldest format has a zero byte for a file.
    type: String.fromCharCode(header[156] || 0x30),
  };
}

/** Up to the first zero byte. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString();
}

/** NaN if it is not an octal number, because programs interpret those differently. */
function octal(header: Uint8Array, start: number, length: number): number {
  const digits = textOf(header.subarray(start, start + length)).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN;
}

/** Records such as `17 path=a/b.py\n`, each prefixed by its length in bytes: values may contain line ends. */
function readPax(content: Uint8Array): PaxOverrides {
  const overrides: PaxOverrides = {};
  for (let at = 0; at < content.length; ) {
    const [, digits = ''] = /^(\d{1,9}) /.exec(Buffer.from(content.subarray(at, at + 10)).toString('latin1')) ?? [];
    const end = at + Number(digits);
    if (digits === '' || end > content.length || end <= at + digits.length || content[end - 1] !== lineEnd) {
      throw new Error('the tar is damaged: invalid extended header');
    }
    const record = Buffer.from(content.subarray(at + digits.length + 1, end - 1)).toString();
    const equals = record.indexOf('=');
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === 'path') overrides.path = value;
    if (key === 'size') overrides.size = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    at = end;
  }
  return overrides;
}

const lineEnd = 0x0a;
