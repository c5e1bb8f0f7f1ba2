/** Maximum length of a name on most file systems. */
const maxNameBytes = 255;
const maxPathBytes = 1024;

/** Checks the paths of an archive: throws if one is invalid or conflicts with an earlier one. */
export class ArchiveNames {
  readonly #kinds = new Map<string, 'file' | 'folder'>();

  /** Default file systems of macOS and Windows ignore case. */
  constructor(private readonly ignoresCase = process.platform === 'darwin' || process.platform === 'win32') {}

  /** Returns the normalized path. */
  addFile(path: string): string {
    const names = namesOf(path);
    const normalized = names.join('/');
    if (normalized === '') throw new Error(`the path ${printable(path)} does not name a file`);
    this.#addParents(names);
    const key = this.#key(normalized);
    const known = this.#kinds.get(key);
    if (known === 'folder') throw new Error(`${printable(normalized)} is both a file and a folder`);
    if (known === 'file') throw new Error(`${printable(normalized)} is in the archive twice`);
    this.#kinds.set(key, 'file');
    return normalized;
  }

  addFolder(path: string): void {
    this.#addParents([...namesOf(path), '']);
  }

  #addParents(names: readonly string[]): void {
    for (let depth = names.length - 1; depth > 0; depth -= 1) {
      const folder = names.slice(0, depth).join('/');
      const key = this.#key(folder);
      const known = this.#kinds.get(key);
      if (known === 'folder') return;
      if (known === 'file') throw new Error(`${printable(folder)} is both a file and a folder`);
      this.#kinds.set(key, 'folder');
    }
  }

  #key(path: string): string {
    return this.ignoresCase ? path.normalize('NFC').toLowerCase() : path;
  }
}

function namesOf(path: string): string[] {
  if (path.includes('\0')) throw new Error(`the path ${printable(path)} contains a NUL`);
  if (path.startsWith('/')) throw new Error(`the path ${printable(path)} is absolute`);
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new Error(`a path is longer than ${maxPathBytes} bytes: ${printable(path)}`);
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new Error(`the path ${printable(path)} points outside of the archive`);
  const long = names.find((name) => Buffer.byteLength(name) > maxNameBytes);
  if (long !== undefined) throw new Error(`a name is longer than ${maxNameBytes} bytes: ${printable(long)}`);
  return names;
}

/** Shortened and escaped for a message. */
function printable(path: string): string {
  return JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path).slice(1, -1);
}
