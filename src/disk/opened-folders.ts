import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { FailedError } from '../errors.ts';

export interface OpeningOptions {
  /** Makes folders that are missing. */
  creates: boolean;
  /** Enters links that lead to a folder inside the root; otherwise no link is entered. */
  followsLinks: boolean;
  /** Whether folders are held open: undefined to find out. */
  holds?: boolean;
}

/** A folder that is in use. */
export interface OpenedFolder {
  /** The file system's path of an entry of this very folder, whatever its own path leads to by now. */
  entry(name: string): string;
  /** Throws a FailedError if the folder's own path leads elsewhere by now. */
  verify(): void;
  release(): void;
}

/**
 * The folders below a root, entered so that a link planted meanwhile leads nobody out of it. Where the system has
 * `/proc/self/fd`, each folder is opened once, without following links, and its entries are reached through the open
 * folder. Elsewhere the way to it is checked again at each use, which leaves a moment between the check and the use.
 */
export class OpenedFolders {
  /** By path below the root, the least recently used first. */
  readonly #folders = new Map<string, Folder>();
  #root: Folder | undefined;

  constructor(
    private readonly path: string,
    private readonly options: OpeningOptions,
  ) {}

  /** To be released after its use. Throws what the file system says, or a FailedError where a link leads elsewhere. */
  open(names: readonly string[]): OpenedFolder {
    const folder = this.#enter(names);
    folder.users++;
    this.#closeUnused();
    return {
      entry: (name) => join(folder.base, name),
      verify: () => {
        if (!this.#isStillThere(folder)) throw new FailedError(`${this.#shown(folder)} was replaced in the meantime`);
      },
      release: () => {
        folder.users--;
        if (folder.isForgotten) close(folder);
      },
    };
  }

  close(): void {
    this.#forgetAll();
    if (this.#root) close(this.#root);
  }

  #enter(names: readonly string[]): Folder {
    const path = names.join('/');
    if (path === '') return this.#enterRoot();
    const known = this.#folders.get(path);
    if (known && this.#isStillThere(known)) {
      this.#folders.delete(path);
      this.#folders.set(path, known);
      return known;
    }
    if (known) this.#forgetAll();
    const parent = this.#enter(names.slice(0, -1));
    const folder = this.#open(path, join(parent.base, names.at(-1) ?? ''));
    this.#folders.set(path, folder);
    return folder;
  }

  /** The root may be a link: that is the user's choice, which is looked at once. */
  #enterRoot(): Folder {
    if (!this.#root) {
      const holds = this.options.holds ?? canHold(this.path);
      this.#root = holds ? held('', openFolder(this.path, 0)) : seen('', this.path);
    }
    if (this.#isStillThere(this.#root)) return this.#root;
    throw new FailedError('the target folder was replaced in the meantime');
  }

  #open(path: string, entry: string): Folder {
    if (this.options.creates) makeUnlessThere(entry);
    const holds = this.#root?.descriptor !== undefined;
    const stats = lstatSync(entry);
    if (stats.isSymbolicLink()) return this.#openLink(path, entry);
    if (!stats.isDirectory()) throw new FailedError(`${path} is a file, not a folder`);
    // What was a folder a moment ago may be a link by now: opening that fails.
    return holds ? held(path, openFolder(entry, noFollow)) : seen(path, entry);
  }

  /** A link that the user made may lead around in the root, but not out of it. */
  #openLink(path: string, entry: string): Folder {
    if (!this.options.followsLinks) throw new FailedError(`${path} is a symbolic link`);
    const root = this.#enterRoot();
    if (root.descriptor === undefined) {
      const folder = seen(path, realpathSync(entry));
      checkInside(realpathSync(this.path), folder.base, path);
      return folder;
    }
    const folder = held(path, openFolder(entry, 0));
    try {
      checkInside(readlinkSync(root.base), readlinkSync(folder.base), path);
      return folder;
    } catch (error) {
      close(folder);
      throw error;
    }
  }

  #isStillThere({ path, id }: Folder): boolean {
    const now = statSync(join(this.path, path), { bigint: true, throwIfNoEntry: false });
    return now !== undefined && identity(now) === id;
  }

  #shown({ path }: Folder): string {
    return path === '' ? 'the target folder' : path;
  }

  #closeUnused(): void {
    for (const [path, folder] of this.#folders) {
      if (this.#folders.size <= mostOpen) return;
      if (folder.users > 0) continue;
      this.#folders.delete(path);
      close(folder);
    }
  }

  #forgetAll(): void {
    for (const folder of this.#folders.values()) {
      folder.isForgotten = true;
      close(folder);
    }
    this.#folders.clear();
  }
}

/** Open folders besides those in use. */
const mostOpen = 64;

interface Folder {
  /** Below the root. */
  path: string;
  /** What leads to its entries. */
  base: string;
  descriptor: number | undefined;
  id: string;
  users: number;
  /** It is to be closed when nobody uses it any more. */
  isForgotten: boolean;
}

function held(path: string, descriptor: number): Folder {
  const id = identity(fstatSync(descriptor, { bigint: true }));
  return { path, base: `/proc/self/fd/${descriptor}`, descriptor, id, users: 0, isForgotten: false };
}

function seen(path: string, base: string): Folder {
  const id = identity(statSync(base, { bigint: true }));
  return { path, base, descriptor: undefined, id, users: 0, isForgotten: false };
}

function close(folder: Folder): void {
  if (folder.users > 0 || folder.descriptor === undefined) return;
  closeSync(folder.descriptor);
  folder.descriptor = undefined;
}

const noFollow = constants.O_NOFOLLOW ?? 0;

function openFolder(path: string, flags: number): number {
  return openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | flags);
}

/** Whether the entries of an open folder can be reached by its descriptor: on Linux, where /proc is mounted. */
function canHold(path: string): boolean {
  if (process.platform !== 'linux') return false;
  const descriptor = openFolder(path, 0);
  try {
    const there = statSync(`/proc/self/fd/${descriptor}/.`, { bigint: true, throwIfNoEntry: false });
    return there !== undefined && identity(there) === identity(fstatSync(descriptor, { bigint: true }));
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}

function identity({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function makeUnlessThere(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function checkInside(root: string, folder: string, shown: string): void {
  const way = relative(root, folder);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new FailedError(`${shown} is a symbolic link to a path outside the target folder`);
  }
}
