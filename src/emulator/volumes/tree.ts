import { refuse } from '../server/reply.ts';

/** A file of a volume. Its content lies in one or more pieces on disk, in this order. */
export interface FileRecord {
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  /** Without quotes, as object storage makes it of parts: the MD5 of their MD5s, and how many they are. */
  etag: string;
  pieces: StoredPart[];
}

export interface StoredPart {
  id: string;
  size: number;
}

/** What is in a folder, by name. Names are kept as they came, whatever they are. */
export type Folder = Map<string, FileRecord | Folder>;

export const isFolder = (entry: FileRecord | Folder | undefined): entry is Folder => entry instanceof Map;

/** `/models/a.bin` as its names, with or without the first slash; a slash at the end asks for a folder. */
export function splitPath(path: string): { names: string[]; asksForFolder: boolean } {
  const bare = path.replace(/^\//, '');
  const asksForFolder = bare === '' || bare.endsWith('/');
  const names = bare === '' ? [] : bare.replace(/\/$/, '').split('/');
  if (names.includes('')) refuse(400, `the path ${path} has an empty name in it`);
  return { names, asksForFolder };
}

export function findEntry(root: Folder, names: readonly string[]): FileRecord | Folder | undefined {
  let entry: FileRecord | Folder | undefined = root;
  for (const name of names) entry = isFolder(entry) ? entry.get(name) : undefined;
  return entry;
}

/** Refuses a file with 409 whose place is taken by a folder, or that would lie below another file; with 400 a long one. */
export function checkWritable(root: Folder, names: readonly string[]): void {
  if (Buffer.byteLength(names.join('/')) > maxPathBytes) refuse(400, `the path is longer than ${maxPathBytes} bytes`);
  for (let depth = 1; depth <= names.length; depth += 1) {
    const entry = findEntry(root, names.slice(0, depth));
    if (entry === undefined) return;
    const path = `/${names.slice(0, depth).join('/')}`;
    if (depth < names.length && !isFolder(entry)) refuse(409, `${path} is a file, not a folder`);
    if (depth === names.length && isFolder(entry)) refuse(409, `${path} is a folder, not a file`);
  }
}

/** The folder of these names, made with all above it where there is none. */
export function ensureFolder(root: Folder, names: readonly string[]): Folder {
  let folder = root;
  for (const name of names) {
    const inside = folder.get(name);
    const next: Folder = isFolder(inside) ? inside : new Map();
    folder.set(name, next);
    folder = next;
  }
  return folder;
}

/** Every file at or below an entry, with its names; folders that hold nothing, too. */
export function* walkTree(
  entry: FileRecord | Folder | undefined,
  names: readonly string[] = [],
): Generator<{ names: readonly string[]; file?: FileRecord }> {
  if (entry === undefined) return;
  if (!isFolder(entry)) yield { names, file: entry };
  else if (entry.size === 0) yield { names };
  else for (const [name, inner] of entry) yield* walkTree(inner, [...names, name]);
}

/** Bytes of a path, as object storage limits its keys. */
const maxPathBytes = 1024;
