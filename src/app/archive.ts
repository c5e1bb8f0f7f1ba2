/**
 * The bytes of an archive depend only on the files: not on date, time zone, umask or number of threads. Our own writer,
 * because libraries take two to nine times as long (docs/decisions/0003).
 */

import type { FileHandle } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gantryCommand, sentence } from '../kernel/command-line.ts';
import { TemporaryFolder, type TemporaryNames, writeAtomically } from '../kernel/disk/index.ts';
import { distinctPaths } from '../kernel/distinct-paths.ts';
import { abortError, FailedError, GantryError, systemCode, throwIfAborted } from '../kernel/errors.ts';
import { isSmallApp, smallAppBytes, totalBytes } from './collect.ts';
import { DeflatePool } from './deflate/deflate-pool.ts';
import type { FileEntry } from './files/entry.ts';
import type { PackingCache, PackingCacheOptions } from './packing-cache/index.ts';
import { packEntries } from './zip/pack.ts';
import { ZipWriter } from './zip/records.ts';

export interface AppArchive {
  path: string;
  bytes: number;
  entries: ArchiveEntry[];
  changed: string[];
}

export interface ArchiveEntry {
  path: string;
  size: number;
  compressed: number;
  crc32: number;
  /** In hex: the identity of its content. Empty in an archive that a version without it has kept. */
  sha256: string;
}

export interface ArchiveOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((bytesRead: number) => void) | undefined;
  /** Threads for compression; 0 compresses in the main thread. */
  threads?: number | undefined;
  names?: TemporaryNames | undefined;
  cache?: PackingCacheOptions | undefined;
}

/** Passes a private archive to `use`, and removes it afterwards in any case. */
export async function withTemporaryArchive<T>(
  entries: readonly FileEntry[],
  use: (archive: AppArchive) => Promise<T>,
  options: ArchiveOptions = {},
): Promise<T> {
  const folder = temporaryFolder();
  try {
    return await use(await writeTo(join(folder.path, 'app.zip'), entries, options, { mode: 0o600 }));
  } finally {
    await folder.remove();
  }
}

/** In the given order. Replaces an existing file only once the archive is complete; writes into a pipe or device. */
export async function writeArchive(
  entries: readonly FileEntry[],
  path: string,
  options: ArchiveOptions = {},
): Promise<AppArchive> {
  return writeTo(path, entries, options, { shownAs: path });
}

async function writeTo(
  path: string,
  entries: readonly FileEntry[],
  options: ArchiveOptions,
  { shownAs, ...place }: { shownAs?: string; mode?: number },
): Promise<AppArchive> {
  const { names, signal } = options;
  throwIfAborted(signal);
  try {
    const written = await writeAtomically(path, (file) => write(entries, file, options), { names, signal, ...place });
    return { path, ...written };
  } catch (error) {
    throw signal?.aborted ? abortError(signal) : writeError(shownAs, error);
  }
}

async function write(
  entries: readonly FileEntry[],
  file: FileHandle,
  options: ArchiveOptions,
): Promise<Omit<AppArchive, 'path'>> {
  const { signal, onProgress } = options;
  checkPaths(entries);
  const writer = new ZipWriter(file);
  const cache = await openCache(entries, options);
  const pool = new DeflatePool(options.threads ?? threadCount(entries.filter((entry) => !cache?.knows(entry))));
  const stop = () => signal && pool.close(abortError(signal));
  signal?.addEventListener('abort', stop);
  try {
    let read = 0;
    const onRead = (bytes: number) => {
      read += bytes;
      if (read > maxBytes) throw new FailedError('the files grew over the limit of an archive while they were packed');
      onProgress?.(read);
    };
    await packEntries(entries, { writer, pool, cache, signal, onRead });
    const bytes = await writer.finish();
    await cache?.finish(entries);
    const changed = entries.filter(({ size }, index) => size !== writer.entries[index]?.size).map(({ path }) => path);
    return { bytes, entries: writer.entries.map(toArchiveEntry), changed };
  } finally {
    signal?.removeEventListener('abort', stop);
    await Promise.all([pool.close(), cache?.close()]);
  }
}

/** Beyond it, the numbers of the format have no room. What was collected is at most 2 GiB. */
const maxBytes = 3 * 2 ** 30;

/** Refuses two entries with one path: what unpacks the archive would keep the last. */
export function checkPaths(files: readonly { path: string }[]): void {
  const { repeated } = distinctPaths(files);
  if (repeated !== undefined)
    throw new FailedError(`two files would be sent as ${repeated}`, { fix: 'rename one of them' });
}

async function openCache(entries: readonly FileEntry[], { cache }: ArchiveOptions): Promise<PackingCache | undefined> {
  if (!cache || isSmallApp(entries)) return undefined;
  const { PackingCache } = await import('./packing-cache/index.ts');
  return PackingCache.open(cache);
}

/** A thread takes about 35 MB: with two, gantry stays below 200 MB. */
const maxThreads = 2;

function threadCount(entries: readonly FileEntry[]): number {
  return totalBytes(entries) < smallAppBytes ? 0 : Math.min(maxThreads, availableParallelism());
}

const toArchiveEntry = ({ path, size, compressed, crc32, sha256 }: ArchiveEntry): ArchiveEntry => ({
  path,
  size,
  compressed,
  crc32,
  sha256,
});

/** Without a path, it was in the temporary folder. */
function writeError(path: string | undefined, cause: unknown): unknown {
  const error = cause as NodeJS.ErrnoException;
  if (cause instanceof GantryError || !error.syscall) return cause;
  const [to, what] = path === undefined ? [tmpdir(), 'for the archive in'] : [path, 'to write'];
  const fix = path === undefined && sentence`TMPDIR=/a/folder/with/space ${gantryCommand`deploy`}`;
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(systemCode(cause));
  const message = isFull ? `no space left ${what} ${to}` : `cannot write ${path ?? `to ${to}`}`;
  return new FailedError(message, { why: error.message, ...(fix && { fix }), cause });
}

function temporaryFolder(): TemporaryFolder {
  try {
    return TemporaryFolder.create('archive');
  } catch (error) {
    throw writeError(undefined, error);
  }
}
