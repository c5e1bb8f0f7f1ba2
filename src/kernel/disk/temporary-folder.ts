import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesIn } from './names-in.ts';
import { isOrphaned, newOwnerName, parseOwnerName, startHeartbeat } from './owner.ts';
import { removedOnExit } from './removed-on-exit.ts';

/** A private folder in the system's folder for temporary files. Its name tells whose it is, so that others can clean up. */
export class TemporaryFolder {
  private constructor(
    readonly path: string,
    private readonly stopHeartbeat: () => void,
  ) {}

  /** `purpose` becomes part of the name. Removes the folders of killed processes first. Throws system errors. */
  static async create(purpose: string): Promise<TemporaryFolder> {
    return TemporaryFolder.createSync(purpose);
  }

  static createSync(purpose: string): TemporaryFolder {
    removeOrphanedFolders();
    const path = join(tmpdir(), `gantry-${purpose}-${newOwnerName()}`);
    mkdirSync(path, { mode: 0o700 });
    removedOnExit.add(path);
    return new TemporaryFolder(path, startHeartbeat(path));
  }

  async remove(): Promise<void> {
    this.stopHeartbeat();
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
    removedOnExit.delete(this.path);
  }
}

/** Removes temporary folders of this user's killed processes. Best effort. */
export function removeOrphanedFolders(): void {
  for (const name of namesIn(tmpdir())) {
    const [, owner] = /^gantry-[a-z]+-(.+)$/.exec(name) ?? [];
    const parsed = owner === undefined ? undefined : parseOwnerName(owner);
    const path = join(tmpdir(), name);
    if (parsed && isOrphaned(path, parsed)) removeOwn(path);
  }
}

function removeOwn(path: string): void {
  try {
    const stats = lstatSync(path);
    if (process.getuid && stats.uid !== process.getuid()) return;
    if (stats.isDirectory()) rmSync(path, { recursive: true, force: true });
  } catch {
    // Another process removes it.
  }
}
