import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Windows has no such flag, and creating symbolic links needs a privilege there. */
export const noFollow = constants.O_NOFOLLOW ?? 0;
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | noFollow;

/** Opens a file for lines at its end, and creates it if needed, by default private. Fails if it is a symbolic link. */
export function openForAppend(path: string, mode = 0o600): Promise<FileHandle> {
  return open(path, appending, mode);
}

/** Adds text to the end of a private file. Throws like {@link openForAppend}. */
export function appendToFileSync(path: string, text: string): void {
  const file = openSync(path, appending, 0o600);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}
