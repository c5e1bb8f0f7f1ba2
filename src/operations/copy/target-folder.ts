import { join } from 'node:path';
import { makeFolder, OpenedFolders, toDiskError } from '../../disk/index.ts';
import { FailedError } from '../../errors.ts';

/** Where a file is to be written. */
export interface TargetFile {
  /** The path to write to and to rename to: it leads to the folder that was checked, even if a link replaces that. */
  path: string;
  /** The folder's absolute path, as the user knows it. */
  folder: string;
  /** Throws a FailedError if the folder is no longer where it was. To be called before and after a file gets its name. */
  check(): void;
  /** To be called when the file is written, or will never be. */
  release(): void;
}

/** The target folder of a download. Nothing is written outside of it, whatever names the platform sends. */
export class TargetFolder {
  readonly #opened: OpenedFolders;
  #isMade = false;

  /** `holds` is for tests: see {@link OpenedFolders}. */
  constructor(
    readonly path: string,
    holds?: boolean,
  ) {
    this.#opened = new OpenedFolders(path, {
      creates: true,
      followsLinks: true,
      ...(holds !== undefined && { holds }),
    });
  }

  /**
   * The place of a file, in a folder that is made if needed. Throws a FailedError for a name that would lead elsewhere,
   * or that this machine cannot have.
   */
  async open(path: string): Promise<TargetFile> {
    const names = path.split('/');
    checkNames(names);
    const parents = names.slice(0, -1);
    try {
      if (!this.#isMade) makeFolder(this.path);
      this.#isMade = true;
      const { entry, verify: check, release } = this.#opened.open(parents);
      return { path: entry(names.at(-1) ?? ''), folder: join(this.path, ...parents), check, release };
    } catch (cause) {
      throw toDiskError(cause);
    }
  }

  /** Where a file would be; nothing is made. */
  pathOf(path: string): string {
    const names = path.split('/');
    checkNames(names);
    return join(this.path, ...names);
  }

  close(): void {
    this.#opened.close();
  }
}

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
