import { join } from 'node:path';
import { type NameProbe, nameKey, nameProbe } from '../../kernel/disk/index.ts';
import { ConflictError, FailedError } from '../../kernel/errors.ts';
import { count, printablePath } from '../../kernel/output/format.ts';
import { byUnits } from '../../kernel/packed-list.ts';
import { maxListedPaths } from './copy-progress.ts';
import type { FoundEntry, FoundFile } from './found-entry.ts';

/**
 * Yields the files with names that are distinct on the target disk. If that disk treats different names as equal, all
 * files are found first, and a ConflictError lists equal names before anything is written. On other disks files are
 * yielded as they are found; a folder in the target may be on a disk of its own, where the second of two equal names
 * fails.
 */
export async function* distinctNames(
  files: AsyncIterable<FoundEntry>,
  folder: string,
  disk: NameProbe = nameProbe,
  allFirst = disk.mergesNames(folder),
): AsyncGenerator<FoundEntry> {
  const names = new Names(folder, disk);
  if (allFirst) {
    yield* checkedAfterAll(files, folder, names, disk);
    return;
  }
  for await (const found of files) yield 'bytes' in found ? names.check(found) : found;
}

async function* checkedAfterAll(
  files: AsyncIterable<FoundEntry>,
  folder: string,
  names: Names,
  disk: NameProbe,
): AsyncGenerator<FoundEntry> {
  const all: FoundEntry[] = [];
  for await (const found of files) {
    all.push(found);
    if ('bytes' in found) names.add(found);
  }
  const clashes = names.clashes();
  if (clashes.length > 0) throw clashError(clashes, folder);
  for (const found of all) yield 'bytes' in found ? checkKeptName(found, folder, disk) : found;
}

interface Entry {
  name: string;
  isFolder: boolean;
}

/** Entries of one folder whose names are equal on the disk. */
interface Clash {
  /** Empty, or with a trailing slash. */
  parent: string;
  entries: Entry[];
}

/** A volume keeps all names apart, those of a file and of a folder as well. */
export const volumeNames: NameProbe = {
  mergesNames: () => false,
  isSameName: () => false,
  keepsName: () => true,
  isSameEntry: () => false,
};

export class Names {
  readonly #folders = new Map<string, Map<string, Entry[]>>();
  #current = '';
  /** Folders whose names are equal to others. */
  readonly #refused = new Map<string, ConflictError>();

  constructor(
    private readonly folder: string,
    private readonly disk: NameProbe,
  ) {}

  /** Returns the new entries: the file's and those of its folders. */
  add(file: FoundFile): { parent: string; entry: Entry }[] {
    const added: { parent: string; entry: Entry }[] = [];
    let end = file.path.length;
    for (let isFolder = false; end > 0; isFolder = true) {
      const start = file.path.lastIndexOf('/', end - 1) + 1;
      const parent = file.path.slice(0, start);
      const entry = { name: file.path.slice(start, end), isFolder };
      if (!this.#insert(parent, entry)) break;
      added.push({ parent, entry });
      end = start - 1;
    }
    return added;
  }

  /** Fails a file whose name is equal to an earlier one. Keeps only the file names of the current folder. */
  check(file: FoundFile): FoundEntry {
    const parent = file.path.slice(0, file.path.lastIndexOf('/') + 1);
    if (parent !== this.#current) this.#forgetFiles(this.#current);
    this.#current = parent;
    const above = this.#refusalAbove(file.path);
    if (above) return { path: file.path, failure: above };
    for (const { parent, entry } of this.add(file)) {
      const other = this.#alike(parent, entry.name).find((each) => each !== entry && this.#isSame(parent, each, entry));
      if (!other) continue;
      const failure = clashError([{ parent, entries: [other, entry] }], this.folder);
      if (entry.isFolder) this.#refused.set(`${parent}${entry.name}/`, failure);
      return { path: file.path, failure };
    }
    return checkKeptName(file, this.folder, this.disk);
  }

  /** The error of the closest refused folder above a path. */
  #refusalAbove(path: string): ConflictError | undefined {
    if (this.#refused.size === 0) return undefined;
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const failure = this.#refused.get(path.slice(0, end + 1));
      if (failure) return failure;
    }
    return undefined;
  }

  clashes(): Clash[] {
    const clashes: Clash[] = [];
    for (const [parent, names] of this.#folders) {
      for (const entries of names.values())
        if (entries.length > 1) for (const clash of this.#clashesAmong(parent, entries)) clashes.push(clash);
    }
    return clashes.sort(
      (a, b) => byUnits(a.parent, b.parent) || byUnits(a.entries[0]?.name ?? '', b.entries[0]?.name ?? ''),
    );
  }

  /** Sorted, so that the result does not depend on the order of the listing. */
  #clashesAmong(parent: string, entries: Entry[]): Clash[] {
    const groups: Entry[][] = [];
    const sorted = entries.toSorted((a, b) => Number(b.isFolder) - Number(a.isFolder) || byUnits(a.name, b.name));
    for (const entry of sorted) {
      const group = groups.find(([first]) => first && this.#isSame(parent, first, entry));
      if (group) group.push(entry);
      else groups.push([entry]);
    }
    return groups.filter((group) => group.length > 1).map((group) => ({ parent, entries: group }));
  }

  #isSame(parent: string, { name, isFolder }: Entry, other: Entry): boolean {
    if (name === other.name) return isFolder === other.isFolder || this.disk !== volumeNames;
    return this.disk.isSameName(join(this.folder, parent), name, other.name);
  }

  /** Returns false for a known folder. */
  #insert(parent: string, entry: Entry): boolean {
    const alike = this.#alike(parent, entry.name);
    if (entry.isFolder && alike.some(({ name, isFolder }) => isFolder && name === entry.name)) return false;
    alike.push(entry);
    return true;
  }

  #alike(parent: string, name: string): Entry[] {
    const names = this.#folders.get(parent) ?? new Map<string, Entry[]>();
    this.#folders.set(parent, names);
    const alike = names.get(nameKey(name)) ?? [];
    names.set(nameKey(name), alike);
    return alike;
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
export function checkKeptName(file: FoundFile, folder: string, disk: NameProbe = nameProbe): FoundEntry {
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
  const names = clashes.map(({ parent, entries }) =>
    entries.map((each) => parent + each.name + (each.isFolder ? '/' : '')),
  );
  const lines = names.slice(0, maxListedPaths).map((each) => each.map(printablePath).join(' and '));
  if (names.length > maxListedPaths) lines.push(`and ${names.length - maxListedPaths} more`);
  const [first = []] = names;
  const isOneName = first.every((path) => path === first[0]);
  const single = isOneName
    ? `several sources are named ${printablePath(first[0] ?? '')}`
    : `${first.map(printablePath).join(' and ')} are the same name on the target disk`;
  const message = names.length === 1 ? single : `${count(names.length, 'group')} of names would collide in ${folder}`;
  return new ConflictError(message, {
    why: names.length === 1 ? 'one would overwrite the other' : lines.join('\n'),
    fix: 'leave one of them out with --exclude, and copy it alone under another name',
    details: { clashes: names },
  });
}
