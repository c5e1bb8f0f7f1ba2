import { type FileHandle, open } from 'node:fs/promises';
import { notRegularError, readFlags, rethrowOpenError } from './regular-file.ts';

/** {@link openRegularSync} as a handle. */
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

/** The content of a file that was a regular one when it was found. */
export async function readRegular(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}
