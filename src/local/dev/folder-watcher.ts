import { type FSWatcher, watch } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isExcludedByDefault, virtualEnvironmentMarkers } from '../../app/files/patterns.ts';
import { after } from '../../kernel/clock.ts';
import { entriesIn } from '../../kernel/disk/index.ts';
import { systemCode } from '../../kernel/errors.ts';

/** Editors save in several steps, so changes are reported after this pause, in ms. A file that is half written by then is followed by another change. */
const debounceMs = 30;
/** A file that is written without a pause is reported after this time. */
const longestMs = 300;
/** The system limits the number of watched folders. */
const maxFolders = 2_000;

interface WatcherOptions {
  /** A file outside of the folder to watch as well. */
  file?: string | undefined;
  elapsed: () => number;
  onWarning: (message: string) => void;
}

/** What was noticed since the last look. */
export interface FolderChange {
  /** When the first of it was noticed, by the monotonic clock. */
  noticedAt: number;
  /** Relative to the folder; files that come and go while an editor saves are among them. */
  paths: string[];
  /** Somebody wants a reload, changed or not. */
  isAsked: boolean;
}

/** Watches a folder and its subfolders, except version control, installed packages and caches. */
export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #paths = new Set<string>();
  #noticedAt: number | undefined;
  #isDue = false;
  #isAsked = false;
  #stopTimer = () => {};
  #wake: (() => void) | undefined;

  constructor(
    private readonly root: string,
    private readonly options: WatcherOptions,
  ) {
    this.#watchFolders();
  }

  /** Resolves when something has changed since the last call, or when the signal aborts. */
  async nextChange(signal: AbortSignal): Promise<FolderChange> {
    const onAbort = () => this.#wake?.();
    signal.addEventListener('abort', onAbort, { once: true });
    if (!this.#isDue && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', onAbort);
    const change = {
      noticedAt: this.#noticedAt ?? this.options.elapsed(),
      paths: [...this.#paths],
      isAsked: this.#isAsked,
    };
    this.#isDue = false;
    this.#isAsked = false;
    this.#noticedAt = undefined;
    this.#paths.clear();
    // Watch new folders before the caller reads them, so that no change in them is missed.
    this.#watchFolders();
    return change;
  }

  /** Ends the wait for a change. */
  ask(): void {
    this.#isAsked = true;
    this.#report();
  }

  close(): void {
    this.#stopTimer();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #report(): void {
    this.#stopTimer();
    this.#noticedAt ??= this.options.elapsed();
    this.#isDue = true;
    this.#wake?.();
  }

  #watchFolders(): void {
    const { file } = this.options;
    const folders = new Set([...foldersOf(this.root), ...(file === undefined ? [] : [dirname(file)])]);
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watchFolder(folder);
  }

  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, (_, name) => this.#notice(folder, name));
      watcher.on('error', () => this.#notice(folder, null));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return;
      this.options.onWarning(`cannot watch ${folder} for changes: ${(error as Error).message}`);
    }
  }

  #notice(folder: string, name: string | null): void {
    if (this.#isForeign(folder, name)) return;
    if (name !== null) this.#paths.add(relative(this.root, join(folder, name)).replaceAll(sep, '/'));
    this.#noticedAt ??= this.options.elapsed();
    this.#stopTimer();
    const leftMs = Math.max(0, this.#noticedAt + longestMs - this.options.elapsed());
    this.#stopTimer = after(Math.min(debounceMs, leftMs), () => this.#report());
  }

  /** Whether it is beside the file outside of the folder. */
  #isForeign(folder: string, name: string | null): boolean {
    const { file } = this.options;
    if (file === undefined || name === null || folder !== dirname(file)) return false;
    return join(folder, name) !== file && !`${folder}${sep}`.startsWith(`${this.root}${sep}`);
  }
}

function foldersOf(root: string): string[] {
  const found = [root];
  for (let index = 0; index < found.length && found.length < maxFolders; index++) {
    const folder = found[index] ?? root;
    const children = entriesIn(folder);
    if (index > 0 && children.some(({ name }) => virtualEnvironmentMarkers.includes(name))) continue;
    const below = children.filter((child) => child.isDirectory() && !isExcludedByDefault(child.name));
    for (const { name } of below) found.push(join(folder, name));
  }
  return found.slice(0, maxFolders);
}
