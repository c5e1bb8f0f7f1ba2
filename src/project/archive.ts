/**
 * The project as a zip file, byte for byte the same for the same content: on any day, in any time zone, under any
 * umask, with any number of threads.
 *
 * Written by our own hand, because general writers take two to nine times as long and their order is a race: see `zip/`, where `records.ts` is
 * the format, `pack.ts` the way from files to deflated data, and `writer.ts` what puts one into the other.
 */
import type { FileHandle } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { TemporaryFolder, type TemporaryNames, writeAtomically } from '../disk/index.ts';
import { FailedError, GantryError } from '../errors.ts';
import { totalBytes } from './collect.ts';
import type { FileEntry } from './files/entry.ts';
import { interruption, throwIfAborted } from './interruption.ts';
import { DeflatePool } from './zip/deflate-pool.ts';
import { packEntries } from './zip/pack.ts';
import { ZipWriter } from './zip/zip-writer.ts';

export interface AppArchive {
  path: string;
  /** Of the zip file. */
  bytes: number;
  /** As they were written; sizes in bytes. */
  entries: ArchiveEntry[];
  /** Paths of the files whose size was another one than when they were collected. */
  changed: string[];
}

export interface ArchiveEntry {
  path: string;
  size: number;
  compressed: number;
  crc32: number;
}

export interface ArchiveOptions {
  signal?: AbortSignal | undefined;
  /** Called with the sum of bytes read so far, to be held against the collection's. */
  onProgress?: ((bytesRead: number) => void) | undefined;
  /** For deflating. The bytes are the same with any number, 0 included. */
  threads?: number | undefined;
  /** Names for the archive while it is being written, where it lies in a folder of the user. */
  names?: TemporaryNames | undefined;
}

/** Gives the archive to `use` and removes it afterwards, whatever happens. Nobody else can read it meanwhile. */
export async function withTemporaryArchive<T>(
  entries: readonly FileEntry[],
  use: (archive: AppArchive) => Promise<T>,
  options: ArchiveOptions = {},
): Promise<T> {
  const folder = await TemporaryFolder.create('gantry-').catch((error) => {
    throw noTemporaryFolder(error);
  });
  try {
    return await use(await writeArchive(entries, join(folder.path, 'app.zip'), options, 0o600));
  } catch (error) {
    throw error instanceof FailedError && isFull(error.facts.cause) ? noTemporaryFolder(error.facts.cause) : error;
  } finally {
    await folder.remove();
  }
}

/**
 * Writes the entries in the order given. An older archive of that name stays until the new one is whole; of one that
 * fails nothing is left. A pipe or /dev/null is written to, never replaced.
 *
 * Throws a ProjectError if a file cannot be read any more, a FailedError if the archive cannot be written, an
 * InterruptedError if the signal says so.
 */
export async function writeArchive(
  entries: readonly FileEntry[],
  path: string,
  options: ArchiveOptions = {},
  mode?: number,
): Promise<AppArchive> {
  throwIfAborted(options.signal);
  try {
    const { names, signal } = options;
    return {
      path,
      ...(await writeAtomically(path, (file) => write(entries, file, options), {
        names,
        signal,
        ...(mode !== undefined && { mode }),
      })),
    };
  } catch (error) {
    throw options.signal?.aborted ? interruption(options.signal) : unwritable(path, error);
  }
}

async function write(
  entries: readonly FileEntry[],
  file: FileHandle,
  options: ArchiveOptions,
): Promise<Omit<AppArchive, 'path'>> {
  const { signal, onProgress } = options;
  const writer = new ZipWriter(file);
  const pool = new DeflatePool(options.threads ?? threadsFor(entries));
  const stop = () => signal && pool.close(interruption(signal));
  signal?.addEventListener('abort', stop);
  try {
    let read = 0;
    const onRead = (bytes: number) => {
      read += bytes;
      onProgress?.(read);
    };
    await packEntries(entries, { writer, pool, signal, onRead });
    const bytes = await writer.finish();
    return { bytes, entries: writer.entries.map(archived), changed: changed(entries, writer.entries) };
  } finally {
    signal?.removeEventListener('abort', stop);
    await pool.close();
  }
}

/** In bytes. Starting a thread takes some 30 ms: a smaller project is packed by then. */
const worthThreads = 2 ** 20;
/** Each thread costs some 35 MB; with two we stay below 200 MB for any project. */
const mostThreads = 2;

function threadsFor(entries: readonly FileEntry[]): number {
  return totalBytes(entries) < worthThreads ? 0 : Math.min(mostThreads, availableParallelism());
}

const archived = ({ path, size, compressed, crc32 }: ArchiveEntry): ArchiveEntry => ({
  path,
  size,
  compressed,
  crc32,
});

const changed = (entries: readonly FileEntry[], written: readonly ArchiveEntry[]) =>
  entries.filter((entry, index) => entry.size !== written[index]?.size).map((entry) => entry.path);

function unwritable(path: string, cause: unknown): unknown {
  const error = cause as NodeJS.ErrnoException;
  if (cause instanceof GantryError || !error.syscall) return cause;
  if (isFull(cause)) return new FailedError(`no space left for ${path}`, { why: error.message, cause });
  return new FailedError(`cannot write ${path}`, { why: error.message, cause });
}

function isFull(cause: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

/** The one place that the user can choose where to pack. */
function noTemporaryFolder(cause: unknown): unknown {
  const error = cause as NodeJS.ErrnoException;
  if (cause instanceof GantryError || !error.syscall) return cause;
  return new FailedError(
    isFull(cause) ? `no space left for the archive in ${tmpdir()}` : `cannot write to ${tmpdir()}`,
    { why: error.message, fix: 'TMPDIR=/a/folder/with/space gantry deploy', cause },
  );
}
