import { join } from 'node:path';
import { type NameProbe, nameKey, nameProbe } from '../../kernel/disk/index.ts';
import { ConflictError, FailedError } from '../../kernel/errors.ts';
import { onceFor } from '../../kernel/once.ts';
import { count, printablePath } from '../../kernel/output/format.ts';
import { maxListedPaths } from './copy-progress.ts';
import type { FoundEntry } from './found-entry.ts';

/**
 * Yields the files with names that are distinct on the target disk. With `allFirst`, all files are found first, and a
 * ConflictError lists equal names before anything is written: so where the disk treats different names as equal. Elsewhere
 * files are yielded as they are found; a folder in the target may be on a disk of its own, where the second of two equal
 * names fails.
 */
export async function* distinctNames(
  files: AsyncIterable<FoundEntry>,
  folder: string,
  disk: NameProbe = nameProbe,
  allFirst = disk.mergesNames(folder),
): AsyncGenerator<FoundEntry> {
  const names = new CopiedNames(folder, disk, allFirst);
  const all: FoundEntry[] = [];
  const clashes = new Set<Clash>();
  for await (const found of files) {
    const clash = 'bytes' in found ? names.add(found.path) : undefined;
    if (allFirst && clash) clashes.add(clash);
    else if (allFirst) all.push(found);
    else yield clash ? { path: found.path, failure: clashError([clash], folder) } : withKeptName(found, folder, disk);
  }
  if (clashes.size > 0) throw clashError([...clashes], folder);
  for (const found of all) yield withKeptName(found, folder, disk);
}

interface CopiedName {
  name: string;
  isFolder: boolean;
}

/** Two entries of one folder whose names are equal on the disk. */
interface Clash {
  /** Empty, or with a trailing slash. */
  parent: string;
  entries: [CopiedName, CopiedName];
}

/** A volume keeps all names apart, those of a file and of a folder as well. */
export const volumeNames: NameProbe = {
  mergesNames: () => false,
  isSameName: () => false,
  keepsName: () => true,
  isSameEntry: () => false,
};

/** The names of a copy. A walk comes to each folder once: unless `keepsAll`, files of other folders are forgotten. */
class CopiedNames {
  readonly #folders = new Map<string, Map<string, CopiedName[]>>();
  #current = '';
  #refusal: Clash | undefined;
  /** Folders whose names are equal to others. */
  readonly #refused = new Map<string, Clash>();

  constructor(
    private readonly folder: string,
    private readonly disk: NameProbe,
    private readonly keepsAll: boolean,
  ) {}

  /** Returns what a file, or a folder around it, is not to be told from. Only what has a name of its own is remembered. */
  add(path: string): Clash | undefined {
    const parent = path.slice(0, path.lastIndexOf('/') + 1);
    if (parent !== this.#current) {
      if (!this.keepsAll) this.#forgetFiles(this.#current);
      this.#current = parent;
      this.#refusal = this.#addFolders(parent);
    }
    return this.#refusal ?? this.#insert(parent, { name: path.slice(parent.length), isFolder: false });
  }

  #addFolders(path: string): Clash | undefined {
    let parent = '';
    for (const { index } of path.matchAll(/\//g)) {
      const folder = path.slice(0, index + 1);
      const entry = { name: path.slice(parent.length, index), isFolder: true };
      const clash = this.#refused.get(folder) ?? this.#insert(parent, entry);
      if (clash) {
        this.#refused.set(folder, clash);
        return clash;
      }
      parent = folder;
    }
    return undefined;
  }

  #insert(parent: string, entry: CopiedName): Clash | undefined {
    const names = onceFor<string, Map<string, CopiedName[]>>(this.#folders, parent, () => new Map());
    const alike = onceFor<string, CopiedName[]>(names, nameKey(entry.name), () => []);
    if (entry.isFolder && alike.some(({ name, isFolder }) => isFolder && name === entry.name)) return undefined;
    const other = alike.find((each) => this.#isSame(parent, each, entry));
    if (other) return { parent, entries: [other, entry] };
    alike.push(entry);
    return undefined;
  }

  #isSame(parent: string, { name, isFolder }: CopiedName, other: CopiedName): boolean {
    if (name === other.name) return isFolder === other.isFolder || this.disk !== volumeNames;
    return this.disk.isSameName(join(this.folder, parent), name, other.name);
  }

  #forgetFiles(parent: string): void {
    const names = this.#folders.get(parent);
    // Single files among the sources may follow those of a folder.
    if (!names || parent === '') return;
    for (const [key, entries] of names) {
      const folders = entries.filter(({ isFolder }) => isFolder);
      if (folders.length > 0) names.set(key, folders);
      else names.delete(key);
    }
  }
}

/** Fails a file whose name the disk of the target folder would change. */
export function withKeptName(file: FoundEntry, folder: string, disk: NameProbe = nameProbe): FoundEntry {
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
  const pairs = clashes.map(({ parent, entries: [one, other] }): [string, string] => [
    pathOf(parent, one),
    pathOf(parent, other),
  ]);
  const texts = pairs.slice(0, maxListedPaths).map(clashText);
  if (pairs.length > maxListedPaths) texts.push(`and ${pairs.length - maxListedPaths} more`);
  const isOne = pairs.length === 1;
  return new ConflictError(
    isOne ? texts.join() : `${count(pairs.length, 'pair')} of names would collide in ${folder}`,
    {
      why: isOne ? 'one would overwrite the other' : texts.join('\n'),
      fix: pairs.some(([one, other]) => one === other)
        ? 'copy the sources one by one, each to a folder of its own'
        : 'leave one of them out with --exclude, and copy it alone under another name',
      details: { clashes: pairs },
    },
  );
}

const pathOf = (parent: string, { name, isFolder }: CopiedName) => `${parent}${name}${isFolder ? '/' : ''}`;

function clashText([one, other]: [string, string]): string {
  if (one === other) return `several sources are named ${printablePath(one)}`;
  return `${printablePath(one)} and ${printablePath(other)} are the same name on the target disk`;
}
