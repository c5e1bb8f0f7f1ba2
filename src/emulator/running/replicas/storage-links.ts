import { existsSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';

/** Links from the paths that apps use to the folders of volumes. Never replaces what others have put there. */
export class StorageLinks {
  readonly #made = new Map<string, string>();

  /** Returns false if a link cannot be made, or is in use for another folder. Then none of these is made. */
  add(folders: Record<string, string>): boolean {
    const before = new Set(this.#made.keys());
    const added = Object.entries(folders).every(([path, folder]) => this.#add(path, folder));
    if (!added) this.#removeAll([...this.#made.keys()].filter((path) => !before.has(path)));
    return added;
  }

  remove(): void {
    this.#removeAll([...this.#made.keys()]);
  }

  #add(path: string, folder: string): boolean {
    if (this.#made.get(path) === folder) return true;
    if (this.#made.has(path)) return false;
    try {
      // An emulator that was killed leaves its link behind.
      if (isAbandoned(path)) unlinkSync(path);
      symlinkSync(folder, path);
    } catch {
      return false;
    }
    this.#made.set(path, folder);
    return true;
  }

  #removeAll(paths: readonly string[]): void {
    for (const path of paths) {
      if (targetOf(path) === this.#made.get(path)) unlinkSync(path);
      this.#made.delete(path);
    }
  }
}

/** A link to the folder of an emulator that is gone. */
function isAbandoned(path: string): boolean {
  return /\/storage\/mounted\//.test(targetOf(path) ?? '') && !existsSync(path);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
