import { createReadStream, existsSync, openSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { pause } from '../clock.ts';
import { closestName } from '../closest-name.ts';
import { quoteForShell } from '../command-line.ts';
import { FailedError, GantryError, NotFoundError, systemCode, UsageError } from '../errors.ts';
import { namesIn } from './folders.ts';
import { readToEnd } from './read-to-end.ts';
import { checkReadSize, notRegularError, readFlags, readRegularBytesSync, rethrowOpenError } from './regular-file.ts';

const retryMs = 100;

/** Reads a file, pipe or device that the user named, in chunks. Throws system errors, or the reason of the signal. */
export async function* readFileOrPipeChunks(path: string, signal: AbortSignal, chunkBytes?: number) {
  for (let isEmpty = true; isEmpty; ) {
    signal.throwIfAborted();
    const isFifo = await leadsToFifo(path);
    try {
      const source = isFifo ? await fifoSource(path) : createReadStream(path, { highWaterMark: chunkBytes });
      for await (const chunk of addAbortSignal(signal, source)) {
        isEmpty = false;
        yield chunk;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
    // Linux reports no end before there was a writer; other systems do, except for pipes that are open already.
    if (!isFifo || process.platform === 'linux' || /^\/dev\/(stdin$|fd\/)/.test(path)) return;
    if (isEmpty) await pause(retryMs, signal);
  }
}

/** Opens a device for writing, or a pipe that a shell has opened. Throws system errors, UsageError for another pipe. */
export async function openDevice(path: string, signal: AbortSignal) {
  signal.throwIfAborted();
  // Until it has a reader, opening it blocks a thread, and the exit.
  if (!/^\/(dev|proc\/self)\/fd\//.test(path) && (await leadsToFifo(path))) {
    throw new UsageError(`${path} is a pipe`, { fix: 'write to stdout (-), and let the shell open the pipe' });
  }
  const device = await open(path, 'w');
  return {
    /** Resolves when the system has accepted all bytes. */
    write: async (bytes: Uint8Array) => {
      signal.throwIfAborted();
      await device.writeFile(bytes);
    },
    close: () => device.close(),
  };
}

async function leadsToFifo(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFIFO() ?? false;
}

/** Opening a FIFO with fs blocks a thread, and the exit, until its other end is opened. A socket needs no thread. */
async function fifoSource(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  return new Socket({ fd: openSync(path, readFlags), readable: true, writable: false });
}

/**
 * Reads a file that the user named, which may be a FIFO or a device. Throws UsageError if it cannot be read or is larger
 * than `maxBytes`, and the reason of the signal when it aborts.
 */
export async function readNamedFile(
  { cwd, signal }: { cwd: string; signal: AbortSignal },
  file: string,
  maxBytes?: number,
): Promise<Buffer> {
  const path = resolve(cwd, file);
  try {
    checkReadSize(file, (await stat(path)).size, maxBytes);
    return await readToEnd(readFileOrPipeChunks(path, signal), { name: file, signal, maxBytes });
  } catch (cause) {
    return throwUnreadable(file, path, cause);
  }
}

/** Asynchronous {@link openRegularSync}. */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, readFlags).catch(rethrowOpenError);
  try {
    if ((await file.stat()).isFile()) return file;
    throw notRegularError();
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Asynchronous {@link readRegularBytesSync}. */
export async function readRegular(path: string): Promise<Buffer> {
  return readRegularBytesSync(path);
}

/** Throws NotFoundError or UsageError, unless the cause is an error of ours, such as an interrupt. */
export function throwUnreadable(file: string, path: string, cause: unknown): never {
  if (cause instanceof GantryError) throw cause;
  if (systemCode(cause) === 'ENOENT') {
    let folder = dirname(path);
    while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
    const fix = `see what is there: ls ${quoteForShell(folder)}`;
    throw new NotFoundError(`${file} not found`, { why: lookedFor(path), fix, cause });
  }
  throw new UsageError(`cannot read ${file}`, { why: toDiskError(cause).message, cause });
}

/** Where a file was looked for that is not there, and what is there with nearly the same name. */
export function lookedFor(path: string): string {
  const meant = closestName(basename(path), namesIn(dirname(path)).slice(0, 2000));
  return `looked for ${path}${meant === undefined ? '' : `; there is ${meant}`}`;
}

/** Describes a system error. The caller adds the path. */
export function toDiskError(cause: unknown): GantryError {
  if (cause instanceof GantryError) return cause;
  const code = systemCode(cause);
  return new FailedError(reasons[code] ?? (cause instanceof Error ? cause.message : String(cause)), { cause });
}

/** The error with what was tried: `cannot write plan.json`. */
export function toDiskErrorOf(what: string, cause: unknown): GantryError {
  const { message, facts } = toDiskError(cause);
  return new FailedError(`${what}: ${message}`, facts);
}

const reasons: Record<string, string> = {
  ENOENT: 'file or folder not found',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EISDIR: 'a folder with that name exists',
  ENOTDIR: 'part of its path is a file, not a folder',
  EEXIST: 'a file with that name exists',
  ENOTEMPTY: 'a folder with that name exists',
  ELOOP: 'it is a symbolic link, or symbolic links form a loop',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EFBIG: 'the file is too large for this disk',
  ENAMETOOLONG: 'the name is too long for this disk',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'I/O error',
};
