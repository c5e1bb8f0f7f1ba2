import { arrayOf, integer, type ObjectOf, text } from '../../kernel/shape.ts';

/** Files that differ between two builds, or between a build and a folder. */
export const fileChangeFields = {
  added: arrayOf(text('path'), 'new files'),
  changed: arrayOf(text('path'), 'changed files'),
  removed: arrayOf(text('path'), 'removed files'),
  unchanged: integer('number of files'),
  byCrc32: integer('how many of the unchanged files were compared by CRC-32, without a SHA-256'),
  unverified: integer('how many of the unchanged files were compared by size only'),
};
export type FileChanges = ObjectOf<typeof fileChangeFields>;

/** What shows that files are those of a build: what was sent for it, or the platform's list of its files. */
export const proofs = ['record', 'sha256', 'crc32'] as const;
export type Proof = (typeof proofs)[number];

export function unchangedFiles(unchanged: number): FileChanges {
  return { added: [], changed: [], removed: [], unchanged, byCrc32: 0, unverified: 0 };
}

/** Those that differ; none if nothing could be compared. */
export function changedPaths(changes: FileChanges | null): string[] {
  return changes ? [changes.added, changes.changed, changes.removed].flat() : [];
}

/** Compares by path, size, CRC-32 and SHA-256, as far as both lists have them. */
export function compareListings(before: readonly BuildFile[], now: readonly BuildFile[]): FileChanges {
  const missing = byPath(before);
  const changes = unchangedFiles(0);
  for (const file of byPath(now).values()) {
    const old = missing.get(file.path);
    missing.delete(file.path);
    if (!old) changes.added.push(file.path);
    else if (facts.some((fact) => isOther(old[fact], file[fact]))) changes.changed.push(file.path);
    else {
      changes.unchanged++;
      if (old.sha256 && file.sha256) continue;
      if (old.crc32 !== undefined && file.crc32 !== undefined) changes.byCrc32++;
      else changes.unverified++;
    }
  }
  changes.removed = [...missing.keys()];
  return changes;
}

const facts = ['size', 'crc32', 'sha256'] as const;

function byPath(files: readonly BuildFile[]): Map<string, BuildFile> {
  return new Map(files.map((file) => [file.path, file]));
}

/** False if one of them is not known. */
function isOther(a: number | string | undefined, b: number | string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

export interface BuildFile {
  path: string;
  size?: number | undefined;
  crc32?: number | undefined;
  /** In hexadecimal digits. */
  sha256?: string | undefined;
  /** Other fields of the reply, as text. */
  more?: string | undefined;
}

/** No document has the shape (spec 2.13): maps, lists and nested folders are read. Else, its position is the name. */
export function parseZipContents(zipFiles: unknown, folder = ''): BuildFile[] {
  if (typeof zipFiles === 'string') return parseEntry(join(folder, zipFiles), null);
  if (!Array.isArray(zipFiles)) {
    return Object.entries(Object(zipFiles)).flatMap(([name, value]) => parseEntry(join(folder, name), value));
  }
  return zipFiles.flatMap((item: unknown, at) => {
    if (typeof item === 'string') return parseZipContents(item, folder);
    const name = firstOf(Object(item), names.path) ?? at;
    return parseEntry(join(folder, String(name)), item);
  });
}

function parseEntry(path: string, value: unknown): BuildFile[] {
  if (typeof value === 'number') return [{ path, size: value }];
  if (typeof value !== 'object' || value === null) return [value ? { path, more: String(value) } : { path }];
  const fields = value as Record<string, unknown>;
  const isFolder = Object.values(fields).some((each) => typeof each === 'object' && each !== null);
  if (!Array.isArray(value) && !isFolder) return [toFile(path, fields)];
  const inside = parseZipContents(Array.isArray(value) ? value : (fields.children ?? fields.files ?? value), path);
  return inside.length > 0 ? inside : [{ path: `${path}/` }];
}

const names = {
  path: ['path', 'name', 'filename', 'file'],
  size: ['size', 'size_bytes', 'uncompressedSize', 'uncompressed_size', 'bytes', 'length'],
  crc32: ['crc32', 'crc', 'checksum'],
  sha256: ['sha256', 'checksum', 'digest', 'hash'],
};
const sha256Form = /^(?:sha256:)?([0-9a-f]{64})$/i;

const firstOf = (fields: Record<string, unknown>, keys: readonly string[]): unknown =>
  keys.map((key) => fields[key]).find((value) => value !== undefined && value !== null);

const numberOf = (value: unknown) => (/^\d+$/.test(String(value)) ? Number(value) : undefined);

function toFile(path: string, fields: Record<string, unknown>): BuildFile {
  const crc32 = firstOf(fields, names.crc32);
  const hashName = names.sha256.find((name) => sha256Form.test(String(fields[name])));
  const read = new Set([...names.path, ...names.size, ...names.crc32, hashName]);
  const more = Object.entries(fields).filter(([name]) => !read.has(name));
  // As text, it has eight hexadecimal digits, as a rule.
  const isHex = typeof crc32 === 'string' && /^(?:0x)?[0-9a-f]{8}$/i.test(crc32);
  return {
    path,
    size: numberOf(firstOf(fields, names.size)),
    crc32: isHex ? Number.parseInt(crc32, 16) : numberOf(crc32),
    sha256: sha256Form.exec(String(fields[hashName ?? '']))?.[1]?.toLowerCase(),
    more: more.map(([name, value]) => `${name}=${value}`).join(' ') || undefined,
  };
}

function join(folder: string, name: string): string {
  return folder ? `${folder.replace(/\/$/, '')}/${name}` : name;
}
