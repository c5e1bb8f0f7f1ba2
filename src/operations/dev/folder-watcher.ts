import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isExcludedByDefault, virtualEnvironmentMarkers } from '../../project/files/patterns.ts';

/** Editors save in several steps, so changes are reported after this pause, in ms. */
const debounceMs = 200;
/** The system limits the number of watched folders. */
const maxFolders = 2_000;

/** Watches a folder and its subfolders, except version control, installed packages and caches. */
export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  #changed = false;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  constructor(
    private readonly root: string,
    private readonly onWarning: (message: string) => void,
  ) {
    this.#watchFolders();
  }

  /** Resolves when something has changed since the last call, or when the signal aborts. */
  async nextChange(signal: AbortSignal): Promise<void> {
    const onAbort = () => this.#wake?.();
    signal.addEventListener('abort', onAbort, { once: true });
    if (!this.#changed && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', onAbort);
    this.#changed = false;
    // Watch new folders before the caller reads them, so that no change in them is missed.
    this.#watchFolders();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchFolders(): void {
    const folders = new Set(foldersOf(this.root));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watchFolder(folder);
  }

  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, () => this.#notice());
      watcher.on('error', () => this.#notice());
      this.#watchers.set(folder, watcher);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      this.onWarning(`cannot watch ${folder} for changes: ${(error as Error).message}`);
    }
  }

  #notice(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#changed = true;
      this.#wake?.();
    }, debounceMs);
  }
}

function foldersOf(root: string): string[] {
  const found = [root];
  for (let index = 0; index < found.length && found.length < maxFolders; index++) {
    const folder = found[index] ?? root;
    const children = childrenOf(folder);
    if (index > 0 && children.some(({ name }) => virtualEnvironmentMarkers.includes(name))) continue;
    const below = children.filter((child) => child.isDirectory() && !isExcludedByDefault(child.name));
    found.push(...below.map(({ name }) => join(folder, name)));
  }
  return found.slice(0, maxFolders);
}

function childrenOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
