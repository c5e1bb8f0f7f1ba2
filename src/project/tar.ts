/** A file of the tar, its content at hand. */
export interface TarFile {
  /** Relative, with forward slashes. */
  path: string;
  content: Buffer;
  executable: boolean;
}

/**
 * The files as an uncompressed tar, byte for byte the same for the same content: in POSIX's ustar form, and with a pax
 * header only where a name does not fit there (longer than its fields, or beyond ASCII).
 */
export function tarOf(files: readonly TarFile[]): Buffer<ArrayBuffer> {
  return Buffer.concat([...files.flatMap(entry), Buffer.alloc(endBytes)]);
}

/** How large {@link tarOf} will be, known before a file is read. In bytes. */
export function tarBytes(files: readonly { path: string; size: number }[]): number {
  return files.reduce((sum, { path, size }) => sum + longName(path).length + block + padded(size), endBytes);
}

const block = 512;
/** Two empty blocks. */
const endBytes = 2 * block;
/** 1980, as in the zip of a deploy: 1970 makes some tools complain. In seconds. */
const moment = 315_532_800;

const padded = (bytes: number) => Math.ceil(bytes / block) * block;

function entry({ path, content, executable }: TarFile): Buffer[] {
  const mode = executable ? 0o755 : 0o644;
  const padding = Buffer.alloc(padded(content.length) - content.length);
  return [longName(path), header(split(path), { mode, size: content.length, type: '0' }), content, padding];
}

/** What says the name in full; empty when the header can. */
function longName(path: string): Buffer {
  if (split(path)) return Buffer.alloc(0);
  const content = Buffer.from(record('path', path));
  const name = header({ prefix: '', name: 'pax' }, { mode: 0o644, size: content.length, type: 'x' });
  return Buffer.concat([name, content, Buffer.alloc(padded(content.length) - content.length)]);
}

/** `<length> key=value\n`: the length counts its own digits. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const length = bytes + String(bytes + String(bytes).length).length;
  return `${length}${rest}`;
}

interface Name {
  prefix: string;
  name: string;
}

/** The name in its two fields, cut at a slash; undefined when it does not fit. */
function split(path: string): Name | undefined {
  if (/[^\x20-\x7e]/.test(path)) return undefined;
  if (path.length <= 100) return { prefix: '', name: path };
  const cut = path.indexOf('/', path.length - 101);
  return cut > 0 && cut <= 155 && cut < path.length - 1
    ? { prefix: path.slice(0, cut), name: path.slice(cut + 1) }
    : undefined;
}

function header(
  { prefix, name }: Name = { prefix: '', name: 'long' },
  { mode, size, type }: { mode: number; size: number; type: '0' | 'x' },
): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number) =>
    bytes.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  bytes.write(name, 0, 'latin1');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(moment, 136, 12);
  bytes.write(`        ${type}`, 148, 'latin1');
  bytes.write('ustar\u000000', 257, 'latin1');
  bytes.write(prefix, 345, 'latin1');
  // The sum of all bytes, its own field taken for blanks.
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}
