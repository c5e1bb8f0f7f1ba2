import { refuse } from '../../http/reply.ts';
import type { FileRecord } from './changes.ts';

/** Entries by name. Names are not normalized. */
export type Folder = Map<string, FileRecord | Folder>;

export const isFolder = (entry: FileRecord | Folder | undefined): entry is Folder => entry instanceof Map;

/** Splits `/models/a.bin` into names. The leading slash is optional; a trailing slash means a folder. */
export function splitPath(path: string): { names: string[]; isFolderPath: boolean } {
  const relative = path.replace(/^\//, '');
  const isFolderPath = relative === '' || relative.endsWith('/');
  const names = relative === '' ? [] : relative.replace(/\/$/, '').split('/');
  if (names.includes('')) refuse(400, `the path ${path} contains an empty name`);
  if (names.some((name) => name === '.' || name === '..' || name.includes('\0'))) {
    refuse(400, `the path ${JSON.stringify(path)} contains a name that no file can have`);
  }
  return { names, isFolderPath };
}

export function findInTree(root: Folder, names: readonly string[]): FileRecord | Folder | undefined {
  let entry: FileRecord | Folder | undefined = root;
  for (const name of names) entry = isFolder(entry) ? entry.get(name) : undefined;
  return entry;
}

/** Creates the folder and its parents if they do not exist. */
export function ensureFolder(root: Folder, names: readonly string[]): Folder {
  let folder = root;
  for (const name of names) {
    const existing = folder.get(name);
    const next: Folder = isFolder(existing) ? existing : new Map();
    folder.set(name, next);
    folder = next;
  }
  return folder;
}

/** All files and empty folders at or below an entry. */
export function* walkTree(
  entry: FileRecord | Folder | undefined,
  names: readonly string[] = [],
): Generator<{ names: readonly string[]; file?: FileRecord }> {
  if (entry === undefined) return;
  if (!isFolder(entry)) yield { names, file: entry };
  else if (entry.size === 0) yield { names };
  else for (const [name, inner] of entry) yield* walkTree(inner, [...names, name]);
}

/** Deletes empty folders whose names pass `isRemovable`. */
export function pruneTree(folder: Folder, isRemovable: (name: string) => boolean): void {
  for (const [name, entry] of folder) {
    if (!isFolder(entry)) continue;
    pruneTree(entry, isRemovable);
    if (entry.size === 0 && isRemovable(name)) folder.delete(name);
  }
}
