export interface TarEntry {
  path: string;
  content: Uint8Array;
  executable: boolean;
}

/** The files of an uncompressed tar, without folders. Throws if it is damaged or has entries of other types. */
export function readTar(bytes: Uint8Array): TarEntry[] {
  const files: TarEntry[] = [];
  // A long path or a large size comes in an entry before the one it applies to.
  let overrides: PaxOverrides = {};
  let offset = 0;
  while (offset + block <= bytes.length) {
    const header = bytes.subarray(offset, offset + block);
    if (header.every((byte) => byte === 0)) return files;
    const { path: shortPath, size: shortSize, type, mode } = readHeader(header);
    const { path, size } = 'xgL'.includes(type)
      ? { path: shortPath, size: shortSize }
      : { path: overrides.path ?? shortPath, size: overrides.size ?? shortSize };
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('the tar is damaged: invalid size');
    const start = offset + block;
    const content = bytes.subarray(start, start + size);
    if (content.length < size) throw new Error('the tar ends in the middle of a file');
    offset = start + Math.ceil(size / block) * block;

    if (type === 'L') overrides = { ...overrides, path: textOf(content) };
    else if (type === 'x') overrides = { ...overrides, ...readPax(content) };
    else {
      overrides = {};
      if (type === 'g' || isFolder(type, path)) continue;
      if (type !== '0' && type !== '7') throw new Error(`the tar has an entry that is not a file: ${path}`);
      files.push({ path, content, executable: (mode & 0o111) !== 0 });
    }
  }
  throw new Error('the tar has no end marker');
}

interface PaxOverrides {
  path?: string;
  size?: number;
}

const block = 512;

/** The oldest format marks folders only by a trailing slash. */
function isFolder(type: string, path: string): boolean {
  return type === '5' || (type === '0' && path.endsWith('/'));
}

function readHeader(header: Uint8Array) {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (sum !== octal(header, 148, 8)) throw new Error('not a tar, or a damaged one');
  const prefix = textOf(header.subarray(257, 262)) === 'ustar' ? textOf(header.subarray(345, 500)) : '';
  const name = textOf(header.subarray(0, 100));
  return {
    path: prefix ? `${prefix}/${name}` : name,
    size: octal(header, 124, 12),
    mode: octal(header, 100, 8),
    // The oldest format has a zero byte for a file.
    type: String.fromCharCode(header[156] || 0x30),
  };
}

/** Up to the first zero byte. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString();
}

/** NaN if it is not an octal number, because programs interpret those differently. */
function octal(header: Uint8Array, start: number, length: number): number {
  const digits = textOf(header.subarray(start, start + length)).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN;
}

/** Records such as `17 path=a/b.py\n`, each prefixed by its length in bytes: values may contain line ends. */
function readPax(content: Uint8Array): PaxOverrides {
  const overrides: PaxOverrides = {};
  for (let at = 0; at < content.length; ) {
    const [, digits = ''] = /^(\d{1,9}) /.exec(Buffer.from(content.subarray(at, at + 10)).toString('latin1')) ?? [];
    const end = at + Number(digits);
    if (digits === '' || end > content.length || end <= at + digits.length || content[end - 1] !== lineEnd) {
      throw new Error('the tar is damaged: invalid extended header');
    }
    const record = Buffer.from(content.subarray(at + digits.length + 1, end - 1)).toString();
    const equals = record.indexOf('=');
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === 'path') overrides.path = value;
    if (key === 'size') overrides.size = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    at = end;
  }
  return overrides;
}

const lineEnd = 0x0a;
