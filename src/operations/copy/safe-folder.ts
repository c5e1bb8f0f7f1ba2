import { lstat, mkdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { diskFailure, makeFolder } from '../../disk/index.ts';
import { FailedError } from '../../errors.ts';

/**
 * The folder that a download fills: whatever the platform calls its files, nothing is written outside of it (H-13).
 */
export class SafeFolder {
  #real: Promise<string> | undefined;
  /** Folders in it that are known to be there and to be in it. */
  readonly #known = new Map<string, Promise<void>>();

  constructor(readonly path: string) {}

  /**
   * The place of a file, in a folder that is there. Throws a FailedError for a name that would lead elsewhere, or that
   * this machine cannot have.
   */
  async place(path: string): Promise<string> {
    checkNames(path.split('/'));
    const names = path.split('/');
    const parents = names.slice(0, -1);
    for (let depth = 0; depth <= parents.length; depth++) await this.#make(parents.slice(0, depth).join('/'));
    return join(this.path, ...names);
  }

  /** Where a file would be; nothing is made. */
  where(path: string): string {
    checkNames(path.split('/'));
    return join(this.path, ...path.split('/'));
  }

  #make(folder: string): Promise<void> {
    let known = this.#known.get(folder);
    if (!known) {
      if (this.#known.size === mostKnown) this.#known.clear();
      known = this.#makeOne(folder);
      this.#known.set(folder, known);
    }
    return known;
  }

  async #makeOne(folder: string): Promise<void> {
    try {
      if (folder === '') {
        makeFolder(this.path);
        return;
      }
      const path = join(this.path, folder);
      await mkdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      const stats = await lstat(path);
      if (stats.isSymbolicLink()) await this.#checkInside(path, folder);
      else if (!stats.isDirectory()) throw new FailedError(`${folder} is a file here, not a folder`);
    } catch (cause) {
      throw diskFailure(cause);
    }
  }

  /** A link that was there before us may lead around in the folder, but not out of it. */
  async #checkInside(path: string, folder: string): Promise<void> {
    this.#real ??= realpath(this.path);
    const way = relative(await this.#real, await realpath(path));
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
      throw new FailedError(`${folder} is a link that leads out of the target folder`);
    }
  }
}

const mostKnown = 10_000;

/** Names that lead elsewhere anywhere, and those that Windows gives another meaning. */
function checkNames(names: string[]): void {
  for (const name of names) {
    const why = nameProblem(name, process.platform === 'win32');
    if (why) throw new FailedError(`its name is not used here: ${why}`);
  }
}

/** Why a name from the platform must not become one of a local file or folder; undefined when it may. */
export function nameProblem(name: string, windows: boolean): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'it would lead to another folder';
  if (name.includes('\0')) return 'it has a NUL in it';
  if (!windows) return undefined;
  if (/[\x01-\x1f<>:"|?*\\]/.test(name)) return 'it has a character in it that Windows does not allow';
  if (/[. ]$/.test(name)) return 'Windows drops the dot or the space at its end';
  if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i.test(name)) return 'it means a device on Windows';
  return undefined;
}
