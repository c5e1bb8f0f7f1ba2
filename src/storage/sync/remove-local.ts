import { rmdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type OpenedFolder, OpenedFolders } from '../../kernel/disk/index.ts';
import { systemCode } from '../../kernel/errors.ts';

/** Deletes files of a local folder, never through a symbolic link, even one created meanwhile. */
export class LocalRemoval {
  readonly #folders: OpenedFolders;

  /** `keepsOpen` is for tests: see {@link OpenedFolders}. */
  constructor(root: string, keepsOpen?: boolean) {
    this.#folders = new OpenedFolders(root, { forWriting: false, keepsOpen });
  }

  /** Also removes the folders that become empty. */
  async remove(path: string): Promise<void> {
    await this.#within(path, unlink);
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      try {
        await this.#within(folder, rmdir);
      } catch {
        return;
      }
    }
  }

  close(): void {
    this.#folders.close();
  }

  async #within(path: string, remove: (path: string) => Promise<void>): Promise<void> {
    const names = path.split('/');
    let folder: OpenedFolder | undefined;
    try {
      folder = this.#folders.open(names.slice(0, -1));
      await remove(folder.entry(names.at(-1) ?? ''));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    } finally {
      folder?.release();
    }
  }
}
