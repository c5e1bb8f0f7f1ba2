import { join } from 'node:path';
import { makeFolder, OpenedFolders, toDiskError } from '../../kernel/disk/index.ts';
import { FailedError } from '../../kernel/errors.ts';

/** The path of a file to write. */
export interface TargetFile {
  /** Leads to the checked folder, even if a symbolic link replaces it meanwhile. */
  path: string;
  /** The absolute path of the folder as the user knows it. */
  folder: string;
  /** Throws a FailedError if the folder was moved or replaced. Call it before and after the final rename. */
  check(): void;
  /** Call it when the file is complete or abandoned. */
  release(): void;
}

/** The target folder of a download. Rejects remote names that lead outside. */
export class TargetFolder {
  readonly #opened: OpenedFolders;
  #isCreated = false;

  constructor(readonly path: string) {
    this.#opened = new OpenedFolders(path, { creates: true, followsLinks: true });
  }

  /**
   * Opens the folder of a file, creating it if needed. Throws a FailedError for a name that leads elsewhere or that the
   * system does not allow.
   */
  async open(path: string): Promise<TargetFile> {
    const names = path.split('/');
    checkNames(names);
    const parents = names.slice(0, -1);
    try {
      if (!this.#isCreated) makeFolder(this.path);
      this.#isCreated = true;
      const { entry, verify: check, release } = this.#opened.open(parents);
      return { path: entry(names.at(-1) ?? ''), folder: join(this.path, ...parents), check, release };
    } catch (cause) {
      throw toDiskError(cause);
    }
  }

  /** The path of a file; creates nothing. */
  pathOf(path: string): string {
    const names = path.split('/');
    checkNames(names);
    return join(this.path, ...names);
  }

  close(): void {
    this.#opened.close();
  }
}

function checkNames(names: string[]): void {
  for (const name of names) {
    const why = nameProblem(name, process.platform === 'win32');
    if (why) throw new FailedError(`the name cannot be used on this machine: ${why}`);
  }
}

/** Why a remote name cannot be used for a local file or folder; undefined if it can. */
export function nameProblem(name: string, windows: boolean): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'it leads to another folder';
  if (name.includes('\0')) return 'it contains a NUL character';
  if (!windows) return undefined;
  if (/[\x01-\x1f<>:"|?*\\]/.test(name)) return 'it contains a character that Windows does not allow';
  if (/[. ]$/.test(name)) return 'Windows removes its trailing dot or space';
  if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i.test(name)) return 'it is a device name on Windows';
  return undefined;
}
