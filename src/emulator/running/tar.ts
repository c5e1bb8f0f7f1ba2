export interface TarFile {
  path: string;
  content: Uint8Array;
  executable: boolean;
}

/**
 * The files of an uncompressed tar. Folders are passed over. Throws an Error that says why when it is damaged, or has
 * something in it that is neither file nor folder.
 */
export function readTar(bytes: Uint8Array): TarFile[] {
  const files: TarFile[] = [];
  // What an entry of its own says about the next one: a path that is longer than a header holds.
  let longPath: string | undefined;
  let offset = 0;
  while (offset + block <= bytes.length) {
    const header = bytes.subarray(offset, offset + block);
    if (header.every((byte) => byte === 0)) return files;
    const { path, size, type, mode } = readHeader(header);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('the tar is damaged: a size is not a number');
    const start = offset + block;
    const content = bytes.subarray(start, start + size);
    if (content.length < size) throw new Error('the tar ends in the middle of a file');
    offset = start + Math.ceil(size / block) * block;

    if (type === 'L') longPath = textOf(content);
    else if (type === 'x') longPath = paxPath(content) ?? longPath;
    else if (type === '0' || type === '7') {
      files.push({ path: longPath ?? path, content, executable: (mode & 0o111) !== 0 });
      longPath = undefined;
    } else if (type === '5' || type === 'g') longPath = undefined;
    else throw new Error(`the tar has something in it that is no file: ${longPath ?? path}`);
  }
  throw new Error('the tar has no end');
}

const block = 512;

function readHeader(header: Uint8Array) {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (sum !== octal(header, 148, 8)) throw new Error('the tar is damaged, or it is none');
  const prefix = textOf(header.subarray(257, 262)) === 'ustar' ? textOf(header.subarray(345, 500)) : '';
  const name = textOf(header.subarray(0, 100));
  return {
    path: prefix ? `${prefix}/${name}` : name,
    size: octal(header, 124, 12),
    mode: octal(header, 100, 8),
    // The oldest form writes a zero byte for a file.
    type: String.fromCharCode(header[156] || 0x30),
  };
}

/** Up to its first zero byte. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString();
}

function octal(header: Uint8Array, start: number, length: number): number {
  return Number.parseInt(textOf(header.subarray(start, start + length)).trim() || '0', 8);
}

/** `27 path=a/b.py` and others, each with its own length in front. */
function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(Buffer.from(content).toString())?.[1];
}
