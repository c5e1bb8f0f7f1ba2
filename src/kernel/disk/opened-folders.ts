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
import { FailedError, systemCode } from '../errors.ts';
import { noFollow } from './append.ts';

export interface OpeningOptions {
  /** Makes missing folders, and follows symbolic links to folders inside the root; otherwise none are followed. */
  forWriting: boolean;
  /** Whether folders are kept open; detected if undefined. */
  keepsOpen?: boolean | undefined;
}

export type OpenedFolder = ReturnType<OpenedFolders['open']>;

/**
 * Opens folders below a root, protected against symbolic links that are planted meanwhile. With `/proc/self/fd` each folder
 * is opened once, without following links, and its entries are accessed through the open folder. On other systems the path
 * is checked before each use, which leaves a short race.
 */
export class OpenedFolders {
  /** Folders by their path relative to the root, the least recently used first. */
  readonly #folders = new Map<string, Folder>();
  #root: Folder | undefined;

  constructor(
    private readonly path: string,
    private readonly options: OpeningOptions,
  ) {}

  /** Release it after use. Throws system errors, or a FailedError if a symbolic link leads elsewhere. */
  open(names: readonly string[]) {
    const folder = this.#enter(names);
    folder.users++;
    this.#closeUnused();
    return {
      /** The path of an entry of this folder, even if the folder's own path was replaced. */
      entry: (name: string) => join(folder.base, name),
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
    const opened = this.#folders.get(path);
    if (opened && this.#isStillThere(opened)) {
      this.#folders.delete(path);
      this.#folders.set(path, opened);
      return opened;
    }
    if (opened) this.#forgetAll();
    const parent = this.#enter(names.slice(0, -1));
    const folder = this.#open(path, join(parent.base, names.at(-1) ?? ''));
    this.#folders.set(path, folder);
    return folder;
  }

  /** The root may be a symbolic link, because the user chose it. It is resolved once. */
  #enterRoot(): Folder {
    if (!this.#root) {
      const keepsOpen = this.options.keepsOpen ?? canKeepOpen(this.path);
      this.#root = enteredFolder('', this.path, keepsOpen ? openFolder(this.path, 0) : undefined);
    }
    if (this.#isStillThere(this.#root)) return this.#root;
    throw new FailedError('the target folder was replaced in the meantime');
  }

  #open(path: string, entry: string): Folder {
    if (this.options.forWriting) makeUnlessThere(entry);
    const stats = lstatSync(entry);
    if (stats.isSymbolicLink()) return this.#openLink(path, entry);
    if (!stats.isDirectory()) throw new FailedError(`${path} is a file, not a folder`);
    const keepsOpen = this.#root?.descriptor !== undefined;
    // Fails if the folder was replaced by a symbolic link.
    return enteredFolder(path, entry, keepsOpen ? openFolder(entry, noFollow) : undefined);
  }

  /** A symbolic link may lead to another folder in the root, but not outside. */
  #openLink(path: string, entry: string): Folder {
    if (!this.options.forWriting) throw new FailedError(`${path} is a symbolic link`);
    const root = this.#enterRoot();
    const keepsOpen = root.descriptor !== undefined;
    const folder = keepsOpen
      ? enteredFolder(path, entry, openFolder(entry, 0))
      : enteredFolder(path, realpathSync(entry));
    // The system knows where an open folder is, whatever has become of the path to it.
    const placeOf = ({ base }: Folder) => (keepsOpen ? readlinkSync(base) : realpathSync(base));
    try {
      checkInside(placeOf(root), placeOf(folder), path);
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
      if (this.#folders.size <= maxOpen) return;
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

/** Maximum of open folders, besides those in use. */
const maxOpen = 64;

interface Folder {
  path: string;
  base: string;
  descriptor: number | undefined;
  id: string;
  users: number;
  /** Close it when it is no longer in use. */
  isForgotten: boolean;
}

/** `place` is where it is entered; through its descriptor, if it is kept open. */
function enteredFolder(path: string, place: string, descriptor?: number): Folder {
  const base = descriptor === undefined ? place : `/proc/self/fd/${descriptor}`;
  return { path, base, descriptor, id: identity(statSync(base, { bigint: true })), users: 0, isForgotten: false };
}

function close(folder: Folder): void {
  if (folder.users > 0 || folder.descriptor === undefined) return;
  closeSync(folder.descriptor);
  folder.descriptor = undefined;
}

function openFolder(path: string, flags: number): number {
  return openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | flags);
}

/** Whether entries can be accessed through an open folder: on Linux with /proc. */
function canKeepOpen(path: string): boolean {
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
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function checkInside(root: string, folder: string, shownAs: string): void {
  const path = relative(root, folder);
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) {
    throw new FailedError(`${shownAs} is a symbolic link to a path outside the target folder`);
  }
}
