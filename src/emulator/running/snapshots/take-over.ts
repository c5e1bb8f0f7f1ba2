import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { stateFile } from '../../model/state/data-folder.ts';
import { journalFile, mountedFolder } from '../volumes/volume-store.ts';
import { manifestFile } from './manifest.ts';
import { copyTree, linkFiles } from './write-snapshot.ts';

/** A whole snapshot that is about to replace the state of the data folder it is in. */
const taken = 'taken-over';
const unfinished = 'taking-over-';
const replaced = 'replaced-';

/** What of a data folder a snapshot replaces. */
const entries = [stateFile, journalFile, 'logs', 'storage'];

/** Puts a snapshot beside the state that it will replace. Until it is complete, nothing has happened. */
export async function prepareTakeover(snapshot: string, folder: string): Promise<void> {
  const target = join(folder, unfinished + randomUUID());
  await mkdir(target, { mode: 0o700 });
  try {
    for (const name of [stateFile, journalFile, manifestFile]) await copyFile(join(snapshot, name), join(target, name));
    await mkdir(join(target, 'storage'), { mode: 0o700 });
    // Apps print to the end of these files.
    await copyTree(join(snapshot, 'logs'), join(target, 'logs'));
    await linkFiles(
      await immutableFiles(join(snapshot, 'storage')),
      join(snapshot, 'storage'),
      join(target, 'storage'),
    );
    await copyTree(join(snapshot, 'storage', mountedFolder), join(target, 'storage', mountedFolder));
    await rm(join(folder, taken), { recursive: true, force: true });
    await rename(target, join(folder, taken));
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Replaces the state by a prepared snapshot, if there is one, also one of an emulator that was killed in the middle of
 * this. Returns what removes the replaced files.
 */
export function takeOver(folder: string): () => Promise<void> {
  const source = join(folder, taken);
  if (existsSync(join(source, manifestFile))) {
    const old = join(folder, replaced + randomUUID());
    for (const name of entries.filter((entry) => existsSync(join(source, entry)))) {
      if (existsSync(join(folder, name))) renameSync(join(folder, name), `${old}-${name}`);
      renameSync(join(source, name), join(folder, name));
    }
    renameSync(source, old);
  }
  return async () => {
    const names = readdirSync(folder).filter((name) => name.startsWith(replaced) || name.startsWith(unfinished));
    await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  };
}

/** All but what apps can change, relative to the storage. */
async function immutableFiles(storage: string): Promise<string[]> {
  const folders = (await readdir(storage)).filter((name) => name !== mountedFolder);
  const all = folders.map((name) => readdir(join(storage, name), { recursive: true, withFileTypes: true }));
  const files = (await Promise.all(all)).flat().filter((entry) => entry.isFile());
  return files.map((entry) => relative(storage, join(entry.parentPath, entry.name)));
}
