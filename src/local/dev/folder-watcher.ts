import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
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
    const { file } = options;
    // An editor may replace it, so its folder is watched.
    if (file !== undefined) this.#watch(file, dirname(file), basename(file));
  }

  /** Resolves when there is something to take. */
  changed(): Promise<void> {
    if (this.#isDue) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** What has changed since the last time. */
  take(): FolderChange {
    const noticedAt = this.#noticedAt ?? this.options.elapsed();
    const change = { noticedAt, paths: [...this.#paths], isAsked: this.#isAsked };
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
    const folders = new Set(foldersOf(this.root));
    for (const [key, watcher] of this.#watchers) {
      if (folders.has(key) || key === this.options.file) continue;
      watcher.close();
      this.#watchers.delete(key);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder, folder);
  }

  /** With `only`, one of the names in the folder matters. */
  #watch(key: string, folder: string, only?: string): void {
    try {
      const watcher = watch(folder, (_, name) => {
        if (only === undefined || name === only) this.#notice(folder, name);
      });
      watcher.on('error', () => this.#notice(folder, null));
      this.#watchers.set(key, watcher);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return;
      this.options.onWarning(`cannot watch ${folder} for changes: ${(error as Error).message}`);
    }
  }

  #notice(folder: string, name: string | null): void {
    if (name !== null) this.#paths.add(relative(this.root, join(folder, name)).replaceAll(sep, '/'));
    this.#noticedAt ??= this.options.elapsed();
    this.#stopTimer();
    const leftMs = Math.max(0, this.#noticedAt + longestMs - this.options.elapsed());
    this.#stopTimer = after(Math.min(debounceMs, leftMs), () => this.#report());
  }
}

function foldersOf(root: string): string[] {
  const folders = [root];
  for (let index = 0; index < folders.length && folders.length < maxFolders; index++) {
    const folder = folders[index] ?? root;
    const children = entriesIn(folder);
    if (index > 0 && children.some(({ name }) => virtualEnvironmentMarkers.includes(name))) continue;
    const below = children.filter((child) => child.isDirectory() && !isExcludedByDefault(child.name));
    for (const { name } of below) folders.push(join(folder, name));
  }
  return folders.slice(0, maxFolders);
}
