import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { FailedError } from '../errors.ts';

/** Without O_NONBLOCK, opening a FIFO waits until somebody writes to it. Windows has neither. */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that was a regular one when it was found. By now the path may lead to a FIFO or a device: those have no
 * end, and throw a FailedError.
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

/** The content of a file that was a regular one when it was found, as text. */
export function readRegularSync(path: string): string {
  const file = openRegularSync(path);
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** ENXIO is what opening a socket fails with. */
export function rethrowOpenError(error: unknown): never {
  throw (error as NodeJS.ErrnoException).code === 'ENXIO' ? notRegularError() : error;
}

export function notRegularError(): FailedError {
  return new FailedError('it is no longer a regular file');
}
