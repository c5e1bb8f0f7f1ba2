import { type FileHandle, open } from 'node:fs/promises';
import { checkReadSize, notRegularError, readFlags, rethrowOpenError } from './regular-file.ts';

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

/** Asynchronous {@link readRegularSync}, in bytes. */
export async function readRegular(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    checkReadSize(path, (await file.stat()).size);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
