import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { FailedError, systemCode } from '../errors.ts';
import { checkReadSize } from './read-limit.ts';

/** Without O_NONBLOCK, opening a FIFO blocks until there is a writer. Windows has neither. */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that was regular when it was found. Throws a FailedError if the path now leads to a FIFO or a device, which
 * may never end.
 */
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

/** The same, as bytes. */
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
