import { join } from 'node:path';
import { type NameProbe, nameKey, nameProbe } from '../../kernel/disk/index.ts';
import { ConflictError, FailedError } from '../../kernel/errors.ts';
import { onceFor } from '../../kernel/once.ts';
import { count, printablePath } from '../../kernel/output/format.ts';
import { maxListedPaths } from './copy-progress.ts';
import type { FoundEntry } from './ports.ts';

/**
 * Yields the files with names that the target disk keeps. With `mayClash`, all files are found first, and a ConflictError
 * lists equal names before anything is written: so where the disk takes different names for the same.
 */
export async function* distinctNames(
  files: AsyncIterable<FoundEntry>,
  folder: string,
  disk: NameProbe = nameProbe,
  mayClash = disk.mergesNames(folder),
): AsyncGenerator<FoundEntry> {
  const all: FoundEntry[] = [];
  for await (const entry of files) {
    if (mayClash) all.push(entry);
    else yield withKeptName(entry, folder, disk);
  }
  const clashes = clashesOf(all, folder, disk);
  if (clashes.length > 0) throw clashError(clashes, folder);
  for (const entry of all) yield withKeptName(entry, folder, disk);
}

/** The paths of two entries of one folder whose names are equal on the disk. That of a folder ends in a slash. */
type Clash = [one: string, other: string];

/** A volume keeps all names apart, those of a file and of a folder as well. */
export const volumeNames: NameProbe = {
  mergesNames: () => false,
  isSameName: () => false,
  keepsName: () => true,
  isSameEntry: () => false,
};

function clashesOf(files: readonly FoundEntry[], folder: string, disk: NameProbe): Clash[] {
  const entriesByKey = new Map<string, string[]>();
  const clashes: Clash[] = [];
  for (const entry of entriesOf(files)) {
    const [parent, name] = splitPath(entry);
    const alike = onceFor<string, string[]>(entriesByKey, `${parent}\0${nameKey(name)}`, () => []);
    const isSame = (path: string) => disk.isSameName(join(folder, parent), splitPath(path)[1], name);
    const isOther = (path: string) => path === entry || (disk !== volumeNames && splitPath(path)[1] === name);
    const other = alike.find((path) => isOther(path) || isSame(path));
    if (other === undefined) alike.push(entry);
    else clashes.push([other, entry]);
  }
  return clashes;
}

/** The files, and each folder around them once. */
function* entriesOf(files: readonly FoundEntry[]): Generator<string> {
  const folders = new Set<string>();
  for (const { path, ...found } of files) {
    if (!('bytes' in found)) continue;
    for (const { index } of path.matchAll(/\//g)) {
      const folder = path.slice(0, index + 1);
      if (!folders.has(folder)) yield folder;
      folders.add(folder);
    }
    yield path;
  }
}

function splitPath(path: string): [parent: string, name: string] {
  const bare = path.replace(/\/$/, '');
  const parent = bare.slice(0, bare.lastIndexOf('/') + 1);
  return [parent, bare.slice(parent.length)];
}

/** Fails a file whose name the disk of the target folder would change. */
function withKeptName(file: FoundEntry, folder: string, disk: NameProbe): FoundEntry {
  if (!('bytes' in file)) return file;
  let parent = '';
  for (const name of file.path.split('/')) {
    if (/[^. ][. ]+$/.test(name) && !disk.keepsName(join(folder, parent), name)) {
      const failure = new FailedError('the target disk removes trailing dots and spaces from names');
      return { path: file.path, failure };
    }
    parent += `${name}/`;
  }
  return file;
}

function clashError(clashes: Clash[], folder: string): ConflictError {
  const texts = clashes.slice(0, maxListedPaths).map(clashText);
  if (clashes.length > maxListedPaths) texts.push(`and ${clashes.length - maxListedPaths} more`);
  const isOne = clashes.length === 1;
  return new ConflictError(
    isOne ? texts.join() : `${count(clashes.length, 'pair')} of names would collide in ${folder}`,
    {
      why: isOne ? 'one would overwrite the other' : texts.join('\n'),
      fix: clashes.some(([one, other]) => one === other)
        ? 'copy the sources one by one, each to a folder of its own'
        : 'leave one of them out with --exclude, and copy it alone under another name',
      details: { clashes },
    },
  );
}

function clashText([one, other]: Clash): string {
  if (one === other) return `several sources are named ${printablePath(one)}`;
  return `${printablePath(one)} and ${printablePath(other)} are the same name on the target disk`;
}
