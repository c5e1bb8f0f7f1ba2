import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { attempt, FailedError, systemCode, UsageError } from '../errors.ts';
import { overLimit } from '../sizes.ts';

/** Without O_NONBLOCK, opening a FIFO blocks until there is a writer. Windows has neither. */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Throws a FailedError if the path leads to a FIFO or a device by now, which may never end. */
export function openRegularSync(path: string): number {
  let file: number;
  try {
    file = openSync(path, readFlags);
  } catch (error) {
    return rethrowOpenError(error);
  }
  try {
    if (fstatSync(file).isFile()) return file;
    throw notRegularError();
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads a regular file as text. Throws UsageError if it is larger than anything that is read as a whole. */
export function readRegularSync(path: string): string {
  return readRegularBytesSync(path).toString();
}

/** The JSON of a file; undefined if there is none. */
export function readJsonSync(path: string): unknown {
  return attempt(() => JSON.parse(readRegularSync(path)));
}

export function readRegularBytesSync(path: string): Buffer {
  const file = openRegularSync(path);
  try {
    checkReadSize(path, fstatSync(file).size);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Opening a socket fails with ENXIO. */
export function rethrowOpenError(error: unknown): never {
  throw systemCode(error) === 'ENXIO' ? notRegularError() : error;
}

export function notRegularError(): FailedError {
  return new FailedError('it is no longer a regular file');
}

/** How much of a file or of stdin is held in memory, unless the caller allows less. */
export const maxReadBytes = 64 * 2 ** 20;

export function checkReadSize(name: string, bytes: number, maxBytes: number = maxReadBytes): void {
  if (bytes > maxBytes) throw tooLargeError(name, bytes, maxBytes);
}

/** `bytes` is undefined if nobody knows how much more there is. */
export function tooLargeError(name: string, bytes: number | undefined, maxBytes: number): UsageError {
  const [has, most] = overLimit(bytes ?? maxBytes, maxBytes);
  return new UsageError(`${name} is too large`, {
    why: `it has ${bytes === undefined ? `more than ${most}` : has}; gantry reads at most ${most} of it`,
  });
}
