import { distinctPaths } from '../../kernel/distinct-paths.ts';
import { UnexpectedReplyError } from '../../kernel/errors.ts';

/** Paths that differ between the files of two builds, or local ones and those of a build. */
export interface FileChanges {
  added: string[];
  changed: string[];
  removed: string[];
  unchanged: number;
  /** Those of the unchanged files that were compared by CRC-32, because one side has no SHA-256. */
  byCrc32: number;
  /** Those of the unchanged files for which there is no checksum to compare. */
  unverified: number;
}

export const unchangedFiles = (unchanged: number): FileChanges => ({
  ...{ added: [], changed: [], removed: [] },
  ...{ unchanged, byCrc32: 0, unverified: 0 },
});

/** Compares by path, size, CRC-32 and SHA-256, as far as both lists have them. */
export function compareListings(before: readonly BuildFile[], now: readonly BuildFile[]): FileChanges {
  const missing = new Map(distinctFiles(before).map((file) => [file.path, file]));
  const changes = unchangedFiles(0);
  for (const file of distinctFiles(now)) {
    const old = missing.get(file.path);
    missing.delete(file.path);
    if (!old) changes.added.push(file.path);
    else if (isOther(old.size, file.size) || isOther(old.crc32, file.crc32) || isOther(old.sha256, file.sha256)) {
      changes.changed.push(file.path);
    } else {
      changes.unchanged++;
      if (old.sha256 && file.sha256) continue;
      if (old.crc32 !== undefined && file.crc32 !== undefined) changes.byCrc32++;
      else changes.unverified++;
    }
  }
  changes.removed = [...missing.keys()];
  return changes;
}

/** The list of a build comes from the platform. Throws UnexpectedReplyError if it contradicts itself. */
function distinctFiles(files: readonly BuildFile[]): readonly BuildFile[] {
  const { items, repeated } = distinctPaths(files);
  if (repeated === undefined) return items;
  throw new UnexpectedReplyError(`the list of files has ${repeated} twice, with different contents`);
}

/** False if one of them is not known. */
function isOther(one: number | string | undefined, other: number | string | undefined): boolean {
  return [one, other].every((value) => value !== undefined && value !== '') && one !== other;
}

/** A file in a build's archive. */
export interface BuildFile {
  path: string;
  size?: number;
  crc32?: number;
  /** In hex. Empty if it is not known. */
  sha256?: string;
  /** Other fields of the reply, as text. */
  more?: string;
}

/**
 * Parses the `zipFiles` of a build. Their shape is not documented (spec 2.13), so every plausible one is accepted: a map
 * from paths to sizes or objects, a list of paths or objects, nested folders. Anything else becomes an entry named after
 * its position.
 */
export function parseZipContents(zipFiles: unknown): BuildFile[] {
  return withChecksums(parseEntries(zipFiles));
}

/** A file whose CRC-32 is a number or, until the others are known, text. */
type ParsedFile = Omit<BuildFile, 'crc32'> & { crc32?: number | string };

/** Digits may be hexadecimal: what is written with letters in one place is so in all, and eight digits are in doubt. */
function withChecksums(files: readonly ParsedFile[]): BuildFile[] {
  const texts = files.flatMap(({ crc32 }) => (typeof crc32 === 'string' ? [crc32] : []));
  const isHex = texts.length > 0 && texts.every((text) => hex.test(text)) && texts.some((text) => /[a-f]/i.test(text));
  const number = (text: string) => (isHex ? Number.parseInt(text, 16) : decimal.test(text) ? Number(text) : undefined);
  return files.map(({ crc32: given, ...file }) => {
    const crc32 = typeof given === 'string' ? number(given) : given;
    return { ...file, ...(crc32 !== undefined && { crc32 }) };
  });
}

function parseEntries(zipFiles: unknown, folder = ''): ParsedFile[] {
  if (zipFiles === null || zipFiles === undefined) return [];
  if (Array.isArray(zipFiles)) return zipFiles.flatMap((item, index) => parseItem(item, folder, index));
  if (typeof zipFiles !== 'object') return [{ path: join(folder, String(zipFiles)) }];
  return Object.entries(zipFiles).flatMap(([name, value]) => parseValue(join(folder, name), value));
}

function parseItem(item: unknown, folder: string, index: number): ParsedFile[] {
  if (typeof item === 'string') return [{ path: join(folder, item) }];
  const record = Object(item) as Record<string, unknown>;
  const name = [record.path, record.name, record.filename, record.file].find((key) => typeof key === 'string');
  return parseValue(join(folder, typeof name === 'string' ? name : String(index)), item);
}

function parseValue(path: string, value: unknown): ParsedFile[] {
  if (typeof value === 'number') return [{ path, size: value }];
  if (typeof value !== 'object' || value === null) return [value ? { path, more: String(value) } : { path }];
  const record = value as Record<string, unknown>;
  if (Object.keys(record).length === 0) return [{ path: Array.isArray(value) ? `${path}/` : path }];
  if (!Array.isArray(value) && isFile(record)) return [toParsedFile(path, record)];
  const children = Array.isArray(value) ? value : (record.children ?? record.files ?? value);
  const inside = parseEntries(children, path);
  return inside.length > 0 ? inside : [{ path: `${path}/` }];
}

const sizeNames = ['size', 'size_bytes', 'uncompressedSize', 'uncompressed_size', 'bytes', 'length'];
const crcNames = ['crc32', 'crc', 'checksum'];
const decimal = /^(?!\d{8}$)\d+$/;
const hex = /^(?:0x)?[0-9a-f]{1,8}$/i;
const sha256Names = ['sha256', 'checksum', 'digest', 'hash'];
const sha256Text = /^(?:sha256:)?([0-9a-f]{64})$/i;

/** The fields of a file are plain values; those of a folder are objects. */
function isFile(record: Record<string, unknown>): boolean {
  const values = Object.values(record);
  return values.every((value) => typeof value !== 'object' || value === null);
}

function toParsedFile(path: string, record: Record<string, unknown>): ParsedFile {
  const found = (names: string[]) => names.map((name) => record[name]).find((value) => value !== undefined);
  const sizeGiven = found(sizeNames);
  const isSize = typeof sizeGiven === 'number' || (typeof sizeGiven === 'string' && /^\d+$/.test(sizeGiven));
  const crcGiven = found(crcNames);
  const isCrc =
    typeof crcGiven === 'number' || (typeof crcGiven === 'string' && (hex.test(crcGiven) || decimal.test(crcGiven)));
  const known = new Set([...sizeNames, ...crcNames, 'path', 'name', 'filename', 'file']);
  const hashName = sha256Names.find((name) => sha256Text.test(String(record[name])));
  const sha256 = hashName && sha256Text.exec(String(record[hashName]))?.[1]?.toLowerCase();
  const rest = Object.entries(record).filter(([name]) => !known.has(name) && name !== hashName);
  return {
    path,
    ...(isSize && { size: Number(sizeGiven) }),
    ...(isCrc && { crc32: crcGiven }),
    ...(sha256 ? { sha256 } : {}),
    ...(rest.length ? { more: rest.map(([name, value]) => `${name}=${value}`).join(' ') } : {}),
  };
}

function join(folder: string, name: string): string {
  return folder ? `${folder.replace(/\/$/, '')}/${name}` : name;
}
