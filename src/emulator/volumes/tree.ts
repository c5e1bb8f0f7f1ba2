import { refuse } from '../server/reply.ts';

/** A file of a volume. `parts` are the uploaded parts of its content, in order. */
export interface FileRecord {
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  /** Without quotes: the MD5 of the parts' MD5s, and the number of parts. */
  etag: string;
  parts: StoredPart[];
}

export interface StoredPart {
  id: string;
  size: number;
}

/** Entries by name. Names are not normalized. */
export type Folder = Map<string, FileRecord | Folder>;

export const isFolder = (entry: FileRecord | Folder | undefined): entry is Folder => entry instanceof Map;

/** Splits `/models/a.bin` into names. The leading slash is optional; a trailing slash means a folder. */
export function splitPath(path: string): { names: string[]; isFolderPath: boolean } {
  const relative = path.replace(/^\//, '');
  const isFolderPath = relative === '' || relative.endsWith('/');
  const names = relative === '' ? [] : relative.replace(/\/$/, '').split('/');
  if (names.includes('')) refuse(400, `the path ${path} contains an empty name`);
  return { names, isFolderPath };
}

export function findInTree(root: Folder, names: readonly string[]): FileRecord | Folder | undefined {
  let entry: FileRecord | Folder | undefined = root;
  for (const name of names) entry = isFolder(entry) ? entry.get(name) : undefined;
  return entry;
}

/** Refuses a path that is a folder or below a file with 409, and one that is too long with 400. */
export function checkWritable(root: Folder, names: readonly string[]): void {
  if (Buffer.byteLength(names.join('/')) > maxPathBytes) refuse(400, `the path is longer than ${maxPathBytes} bytes`);
  for (let depth = 1; depth <= names.length; depth += 1) {
    const entry = findInTree(root, names.slice(0, depth));
    if (entry === undefined) return;
    const path = `/${names.slice(0, depth).join('/')}`;
    if (depth < names.length && !isFolder(entry)) refuse(409, `${path} is a file, not a folder`);
    if (depth === names.length && isFolder(entry)) refuse(409, `${path} is a folder, not a file`);
  }
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

/** The limit of object storage for keys. */
const maxPathBytes = 1024;
