import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockHolder, makePrivateFolder, removeDeadLocks, takeLock } from '../../disk/index.ts';

/** Files of the emulator that are in the data folder, beside its folders. */
export const stateFile = 'state.json';

/** Folders that hold code, secrets and output of apps. */
const privateFolders = ['storage', 'running', 'packages', 'logs'];

/**
 * Makes the folder of an emulator's state and everything in it private, whatever the umask. A folder that holds other
 * things as well, such as a project, keeps its mode: what the emulator adds to it is private by itself.
 */
export function preparePrivateFolder(folder: string): void {
  makePrivateFolder(folder);
  if (readdirSync(folder).length === 0 || existsSync(join(folder, stateFile))) chmodSync(folder, 0o700);
  for (const name of privateFolders) makePrivate(join(folder, name));
}

/** The folder may be there already, with another mode. */
function makePrivate(folder: string): void {
  makePrivateFolder(folder);
  chmodSync(folder, 0o700);
}

/** Another emulator works in the data folder: both would overwrite the state of the other. */
export class DataFolderInUseError extends Error {
  constructor(
    readonly folder: string,
    readonly pid: number | undefined,
  ) {
    super(`the data folder ${folder} is in use by another emulator${pid === undefined ? '' : ` (process ${pid})`}`);
  }
}

/** Takes the data folder for this emulator. Throws a `DataFolderInUseError` while another one that runs has it. */
export function lockDataFolder(folder: string): { release(): void } {
  const path = join(folder, 'lock');
  const lock = takeLock(path);
  if (!lock) throw new DataFolderInUseError(folder, lockHolder(path)?.pid);
  removeDeadLocks(folder);
  return lock;
}
