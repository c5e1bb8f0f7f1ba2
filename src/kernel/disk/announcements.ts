import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findWritableByOthers, makePrivateFolder } from './folders.ts';
import { writeFileAtomicSync } from './new-file.ts';
import { isAlive, isOrphaned, newOwnerName, ownedIn, startHeartbeat } from './owner.ts';
import { readJsonSync } from './regular-file.ts';
import { removedOnExit } from './temporary.ts';

/** Tells other processes of the user about this one, in a file that ends with it. Throws system errors. */
export function announce(folder: string, content: object) {
  makePrivateFolder(folder);
  const file = join(folder, `${newOwnerName()}.json`);
  const write = (value: object) => writeFileAtomicSync(file, JSON.stringify(value));
  write(content);
  removedOnExit.add(file);
  const stopHeartbeat = startHeartbeat(file, '{');
  return {
    update: write,
    withdraw() {
      stopHeartbeat();
      rmSync(file, { force: true });
      removedOnExit.delete(file);
    },
  };
}

/**
 * What running processes of this user on this machine announced, but for those in containers. Removes the files of those
 * that were killed.
 */
export function readAnnouncements(folder: string): unknown[] {
  return ownedIn(folder, /\.json$/).flatMap(({ owner, path }) => {
    if (isOrphaned(path, owner)) rmSync(path, { force: true });
    // Other users may have been able to write to the folder.
    return isAlive(owner) && !findWritableByOthers(path) ? [readJsonSync(path)] : [];
  });
}
