import { createHash } from 'node:crypto';
import {
  chmodSync,
  type Dirent,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { entriesIn } from '../../../kernel/disk/index.ts';
import { refuse } from '../../http/reply.ts';

/** A file in a folder that apps use. They can change it at any time. */
export interface MountedFile {
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  /** Without quotes. Changes when an app writes the file. */
  etag: string;
  path: string;
}

/**
 * The files of a volume in a real folder, because an app uses the volume as `/persistent-storage`. Any user of a container
 * may use them, and on this machine only who gets past the folder around it.
 */
export class MountedFolder {
  /** ETags of uploaded files, valid until an app changes the file. By path. */
  readonly #uploaded = new Map<string, { version: string; etag: string }>();
  readonly #root: string;

  constructor(readonly path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o777);
    this.#root = realpathSync(path);
  }

  /** Whether a disk can have this path: names in object storage may contain slashes or be `..`. */
  static canHold(names: readonly string[]): boolean {
    return names.every(isDiskName);
  }

  find(names: readonly string[]): MountedFile | 'folder' | undefined {
    return MountedFolder.canHold(names) ? this.#read(join(this.#root, ...names)) : undefined;
  }

  list(names: readonly string[]): Map<string, MountedFile | 'folder'> | undefined {
    if (this.find(names) !== 'folder') return undefined;
    const path = join(this.#root, ...names);
    const entries = entriesIn(path).map((entry) => [entry.name, this.#readEntry(path, entry)] as const);
    return new Map(entries.filter((entry): entry is [string, MountedFile | 'folder'] => entry[1] !== undefined));
  }

  /** All files and empty folders. */
  *walk(names: readonly string[] = []): Generator<{ names: readonly string[]; file?: MountedFile }> {
    const entries = [...(this.list(names) ?? [])];
    if (entries.length === 0) yield { names };
    for (const [name, entry] of entries) {
      if (entry === 'folder') yield* this.walk([...names, name]);
      else yield { names: [...names, name], file: entry };
    }
  }

  makeFolder(names: readonly string[]): void {
    makeOpenFolder(this.#writablePath(names));
  }

  /** Moves a complete file into the folder. */
  put(source: string, names: readonly string[], { modified, etag }: { modified: number; etag: string }): void {
    const path = this.#writablePath(names);
    makeOpenFolder(dirname(path));
    chmodSync(source, 0o666);
    utimesSync(source, modified / 1000, modified / 1000);
    renameSync(source, path);
    this.#uploaded.set(path, { version: versionOf(statSync(path)), etag });
  }

  write(names: readonly string[], content: string | Uint8Array, file: { modified: number; etag: string }): void {
    const path = this.#writablePath(names);
    makeOpenFolder(dirname(path));
    const temporary = `${path}.${process.pid}.part`;
    writeFileSync(temporary, content, { mode: 0o600 });
    this.put(temporary, names, file);
  }

  /** Without names, deletes everything in the folder. */
  remove(names: readonly string[]): void {
    if (!MountedFolder.canHold(names) || this.find(names.slice(0, -1)) !== 'folder') return;
    const paths =
      names.length > 0 ? [join(this.#root, ...names)] : entriesIn(this.#root).map(({ name }) => join(this.#root, name));
    for (const path of paths) rmSync(path, { recursive: true, force: true });
  }

  #readEntry(folder: string, entry: Dirent): MountedFile | 'folder' | undefined {
    if (entry.isDirectory()) return 'folder';
    return entry.isFile() || entry.isSymbolicLink() ? this.#read(join(folder, entry.name)) : undefined;
  }

  /** Undefined for pipes, sockets, devices, and links that leave the volume. */
  #read(path: string): MountedFile | 'folder' | undefined {
    try {
      const real = realpathSync(path);
      if (!this.#contains(real)) return undefined;
      const stats = statSync(real);
      if (stats.isDirectory()) return 'folder';
      return stats.isFile() ? this.#describe(real, stats) : undefined;
    } catch {
      return undefined;
    }
  }

  #describe(path: string, stats: Stats): MountedFile {
    const version = versionOf(stats);
    const uploaded = this.#uploaded.get(path);
    const etag = uploaded?.version === version ? uploaded.etag : `v-${version}`;
    return { size: stats.size, modified: Math.trunc(stats.mtimeMs), etag, path };
  }

  /** Refuses a path whose existing part leaves the volume through a link. */
  #writablePath(names: readonly string[]): string {
    const path = join(this.#root, ...names);
    let existing = dirname(path);
    while (!existsSync(existing)) existing = dirname(existing);
    if (!this.#contains(realpathSync(existing))) refuse(409, `/${names.join('/')} is outside of the volume`);
    return path;
  }

  #contains(real: string): boolean {
    return real === this.#root || real.startsWith(this.#root + sep);
  }
}

/** Whatever the umask. */
function makeOpenFolder(path: string): void {
  if (existsSync(path)) return;
  makeOpenFolder(dirname(path));
  mkdirSync(path);
  chmodSync(path, 0o777);
}

const maxNameBytes = 255;

function isDiskName(name: string): boolean {
  const bytes = Buffer.from(name);
  if (name === '' || name === '.' || name === '..' || bytes.length > maxNameBytes) return false;
  return !/[/\0]/.test(name) && bytes.toString() === name;
}

/** Not an MD5: computing one would read the whole file. */
function versionOf({ ino, size, mtimeMs }: Stats): string {
  return createHash('sha256').update(`${ino} ${size} ${mtimeMs}`).digest('hex').slice(0, 24);
}
