import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files of the emulator that are in the data folder, beside its folders. */
export const stateFile = 'state.json';

/** Folders that hold code, secrets and output of apps. */
const privateFolders = ['storage', 'running', 'packages', 'logs'];

/**
 * Makes the folder of an emulator's state and everything in it private, whatever the umask. A folder that holds other
 * things as well, such as a project, keeps its mode: what the emulator adds to it is private by itself.
 */
export function preparePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length === 0 || existsSync(join(folder, stateFile))) chmodSync(folder, 0o700);
  for (const name of privateFolders) makePrivate(join(folder, name));
}

/** `mkdir` leaves the mode of a folder that exists. */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}
