import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.ts';

/** {@link makeFolder} for a folder that only its owner may access. */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder, 0o700);
}

/**
 * Creates a folder and its parents if they do not exist. Throws system errors. Node's `recursive` never ends where no folder
 * can be created (`/proc`).
 */
export function makeFolder(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    const above = dirname(folder);
    if (systemCode(error) !== 'ENOENT') throw error;
    // Another process may have created the parent meanwhile.
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
