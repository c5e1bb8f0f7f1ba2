import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder that only its owner may enter, as {@link makeFolder} does. */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder, 0o700);
}

/**
 * Makes a folder, and those above it, unless it is there. Throws what the file system says. Node's own recursion is not
 * used: where no folder can be made (`/proc`) it never ends.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Another process may have made the folder above in this moment: then it is enough to try again.
    if (!existsSync(above)) makeFolder(above, mode);
    makeOne(folder, mode);
  }
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
