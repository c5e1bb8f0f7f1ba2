import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isExcludedByDefault, virtualEnvironmentMarkers } from '../../project/files/patterns.ts';

/** Editors save in several steps: a change counts once nothing has happened for so long (in milliseconds). */
const settledMs = 200;
/** The system has a limit of its own, and each folder counts. */
const maxFolders = 2_000;

/** Watches a folder and those below it, but for what nobody sends: version control, installed code, caches. */
export class FolderWatcher {
  private readonly watchers = new Map<string, FSWatcher>();
  private changed = false;
  private timer: NodeJS.Timeout | undefined;
  private wake: (() => void) | undefined;

  constructor(
    private readonly root: string,
    private readonly onTrouble: (message: string) => void,
  ) {
    this.watchFolders();
  }

  /** Fulfilled when something has changed since the last time this was asked, or when the signal says so. */
  async nextChange(signal: AbortSignal): Promise<void> {
    const stop = () => this.wake?.();
    signal.addEventListener('abort', stop, { once: true });
    if (!this.changed && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    signal.removeEventListener('abort', stop);
    this.changed = false;
    // What was begun with a new folder has to be watched as well, from before its content is read.
    this.watchFolders();
  }

  close(): void {
    clearTimeout(this.timer);
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private watchFolders(): void {
    const folders = new Set(foldersOf(this.root));
    for (const [folder, watcher] of this.watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.watchers.delete(folder);
    }
    for (const folder of folders) if (!this.watchers.has(folder)) this.watchFolder(folder);
  }

  private watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, () => this.notice());
      watcher.on('error', () => this.notice());
      this.watchers.set(folder, watcher);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      this.onTrouble(`changes in ${folder} are not seen: ${(error as Error).message}`);
    }
  }

  private notice(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.changed = true;
      this.wake?.();
    }, settledMs);
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
