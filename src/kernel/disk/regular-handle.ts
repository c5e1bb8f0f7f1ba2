import { type FileHandle, open } from 'node:fs/promises';
import { notRegularError, readFlags, readRegularBytesSync, rethrowOpenError } from './regular-file.ts';

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
