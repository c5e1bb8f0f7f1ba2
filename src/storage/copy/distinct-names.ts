import { type NameProbe, nameProbe } from '../../kernel/disk/index.ts';
import type { RenamedEntry } from './copy-progress.ts';
import type { FoundEntry } from './found-entry.ts';
import { checkKeptName, clashError, Names } from './name-clashes.ts';
import { Renaming } from './rename-clashes.ts';

export interface NamingOptions {
  /** Renames files instead of refusing to copy. */
  renames: boolean;
  /** Finds all files before yielding the first, even if the disk does not require it. */
  allFirst: boolean;
  onRenamed: (renamed: RenamedEntry) => void;
}

/**
 * Yields the files with names that are distinct on the target disk. If that disk treats different names as equal, all
 * files are found first, and a ConflictError lists equal names before anything is written. On other disks files are
 * yielded as they are found; a folder in the target may be on a disk of its own, where the second of two equal names
 * fails.
 */
export async function* distinctNames(
  files: AsyncIterable<FoundEntry>,
  folder: string,
  options: NamingOptions,
  disk: NameProbe = nameProbe,
): AsyncGenerator<FoundEntry> {
  const names = new Names(folder, disk);
  if (!options.renames && !options.allFirst && !disk.mergesNames(folder)) {
    for await (const found of files) yield 'bytes' in found ? names.check(found) : found;
    return;
  }
  const all: FoundEntry[] = [];
  for await (const found of files) {
    all.push(found);
    if ('bytes' in found) names.add(found);
  }
  const clashes = names.clashes();
  if (clashes.length > 0 && !options.renames) throw clashError(clashes, folder);
  const renaming = new Renaming(names, clashes, options.onRenamed);
  for (const found of all) yield 'bytes' in found ? checkKeptName(renaming.renamed(found), folder, disk) : found;
}
