/** Bytes of one name: the limit of nearly every file system. */
const maxNameBytes = 255;
/** Bytes of a path below the folder of an app. */
const maxPathBytes = 1024;

/** The paths of an archive. Throws for one that cannot be unpacked beside the others, and says why. */
export class ArchiveNames {
  readonly #kinds = new Map<string, 'file' | 'folder'>();
  readonly #ignoresCase: boolean;

  /** Usual disks of macOS and Windows take `A` and `a` for the same name. */
  constructor(ignoresCase = process.platform === 'darwin' || process.platform === 'win32') {
    this.#ignoresCase = ignoresCase;
  }

  /** Gives the path, normalized. */
  addFile(path: string): string {
    const names = namesOf(path);
    const normalized = names.join('/');
    if (normalized === '') throw new Error(`the path ${shown(path)} names no file`);
    this.#addParents(names);
    const key = this.#key(normalized);
    const known = this.#kinds.get(key);
    if (known === 'folder') throw new Error(`${shown(normalized)} is both a file and a folder`);
    if (known === 'file') throw new Error(`${shown(normalized)} is in the archive twice`);
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
      if (known === 'file') throw new Error(`${shown(folder)} is both a file and a folder`);
      this.#kinds.set(key, 'folder');
    }
  }

  #key(path: string): string {
    return this.#ignoresCase ? path.normalize('NFC').toLowerCase() : path;
  }
}

function namesOf(path: string): string[] {
  if (path.includes('\0')) throw new Error(`the path ${shown(path)} has a NUL in it`);
  if (path.startsWith('/')) throw new Error(`the path ${shown(path)} is absolute`);
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new Error(`a path is longer than ${maxPathBytes} bytes: ${shown(path)}`);
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new Error(`the path ${shown(path)} leads out of the archive`);
  const long = names.find((name) => Buffer.byteLength(name) > maxNameBytes);
  if (long !== undefined) throw new Error(`a name is longer than ${maxNameBytes} bytes: ${shown(long)}`);
  return names;
}

/** As it can be part of a message. */
function shown(path: string): string {
  return JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path).slice(1, -1);
}
