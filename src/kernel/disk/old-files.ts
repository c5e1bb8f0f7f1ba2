import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const dayMs = 86_400_000;

/** Removes the files of a folder that nobody has written for so many days. Best effort. */
export async function removeOldFiles(folder: string, maxAgeDays: number): Promise<void> {
  const oldest = Date.now() - maxAgeDays * dayMs;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() && stats.mtimeMs < oldest) await rm(path, { force: true }).catch(() => {});
  }
}
