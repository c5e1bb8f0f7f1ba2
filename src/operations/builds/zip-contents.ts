/** One file of a build's archive, as far as its shape is understood. */
export interface ZipEntry {
  path: string;
  size?: number;
  crc32?: number;
  /** What else the platform said about it, as text. */
  more?: string;
}

/**
 * Reads the `zipFiles` of a build. The inner shape is not documented (spec 2.13), so this accepts every plausible one:
 * a map of path to facts or to a size, a list of paths or objects, and nested folders. Anything else is shown by its
 * place.
 */
export function parseZipContents(zipFiles: unknown, folder = ''): ZipEntry[] {
  if (zipFiles === null || zipFiles === undefined) return [];
  if (Array.isArray(zipFiles)) return zipFiles.flatMap((item, index) => listed(item, folder, index));
  if (typeof zipFiles !== 'object') return [{ path: join(folder, String(zipFiles)) }];
  return Object.entries(zipFiles).flatMap(([name, value]) => named(join(folder, name), value));
}

function listed(item: unknown, folder: string, index: number): ZipEntry[] {
  if (typeof item === 'string') return [{ path: join(folder, item) }];
  const record = Object(item) as Record<string, unknown>;
  const name = [record.path, record.name, record.filename, record.file].find((key) => typeof key === 'string');
  return named(join(folder, typeof name === 'string' ? name : String(index)), item);
}

function named(path: string, value: unknown): ZipEntry[] {
  if (typeof value === 'number') return [{ path, size: value }];
  if (typeof value !== 'object' || value === null) return [value ? { path, more: String(value) } : { path }];
  const record = value as Record<string, unknown>;
  if (Object.keys(record).length === 0) return [{ path: Array.isArray(value) ? `${path}/` : path }];
  if (!Array.isArray(value) && isFile(record)) return [entry(path, record)];
  const children = Array.isArray(value) ? value : (record.children ?? record.files ?? value);
  const inside = parseZipContents(children, path);
  return inside.length > 0 ? inside : [{ path: `${path}/` }];
}

const sizeNames = ['size', 'size_bytes', 'uncompressedSize', 'uncompressed_size', 'bytes', 'length'];
const crcNames = ['crc32', 'crc', 'checksum'];

/** A file's facts are plain values; a folder holds objects. */
function isFile(record: Record<string, unknown>): boolean {
  const values = Object.values(record);
  return values.every((value) => typeof value !== 'object' || value === null);
}

function entry(path: string, record: Record<string, unknown>): ZipEntry {
  const number = (names: string[]) => {
    const value = names.map((name) => record[name]).find((found) => found !== undefined);
    const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
    return isNumber ? Number(value) : undefined;
  };
  const known = new Set([...sizeNames, ...crcNames, 'path', 'name', 'filename', 'file']);
  const rest = Object.entries(record).filter(([name]) => !known.has(name));
  const [size, crc32] = [number(sizeNames), number(crcNames)];
  return {
    path,
    ...(size === undefined ? {} : { size }),
    ...(crc32 === undefined ? {} : { crc32 }),
    ...(rest.length ? { more: rest.map(([name, value]) => `${name}=${value}`).join(' ') } : {}),
  };
}

function join(folder: string, name: string): string {
  return folder ? `${folder.replace(/\/$/, '')}/${name}` : name;
}
