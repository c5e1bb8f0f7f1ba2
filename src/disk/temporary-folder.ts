import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removedOnExit } from './removed-on-exit.ts';

/** A private folder in the system's folder for temporary files. */
export class TemporaryFolder {
  private constructor(readonly path: string) {}

  /** Its name starts with `prefix`. Throws system errors. */
  static async create(prefix: string): Promise<TemporaryFolder> {
    const path = await mkdtemp(join(tmpdir(), prefix));
    removedOnExit.add(path);
    return new TemporaryFolder(path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
    removedOnExit.delete(this.path);
  }
}
