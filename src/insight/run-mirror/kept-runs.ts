import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../../kernel/disk/index.ts';
import { dayMs } from '../../kernel/durations.ts';
import { readOwner } from './day-file.ts';

/** What is kept at most, over all apps. */
const limits = { bytes: 2 ** 30, days: 92 };

export function mirrorRoot(cache: string): string {
  return join(cache, 'runs');
}

export async function listKeptRuns(cache: string) {
  const root = mirrorRoot(cache);
  const apps = namesIn(root).map(async (name) => {
    const path = join(root, name);
    const files = await dayFiles(path);
    const owner = files[0] && (await readOwner(files[0].path));
    if (files.length === 0) return [];
    return [
      {
        project: owner?.project ?? '',
        app: owner?.app ?? '',
        path,
        files: files.length,
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
        usedAt: new Date(files.reduce((last, { usedAt }) => Math.max(last, usedAt), 0)).toISOString(),
        remove: () => rm(path, { recursive: true, force: true }),
      },
    ];
  });
  return (await Promise.all(apps)).flat();
}

/** Removes old days, the oldest ones beyond the limit, and what killed processes have left. Best effort. `now`: ms since 1970. */
export async function trimMirror(cache: string, now: number): Promise<void> {
  const root = mirrorRoot(cache);
  const folders = namesIn(root).map((name) => join(root, name));
  const files = (await Promise.all(folders.map(dayFiles))).flat().sort((a, b) => b.day - a.day);
  let bytes = 0;
  for (const file of files) {
    bytes += file.bytes;
    if (bytes > limits.bytes || file.day < now - limits.days * dayMs) await rm(file.path, { force: true });
  }
  for (const folder of folders) {
    for (const name of namesIn(folder).filter((each) => each.startsWith('.'))) {
      const path = join(folder, name);
      const { mtimeMs = Number.POSITIVE_INFINITY } = (await stat(path).catch(() => undefined)) ?? {};
      if (mtimeMs < now - dayMs) await rm(path, { force: true });
    }
  }
}

async function dayFiles(folder: string) {
  const files = namesIn(folder).map(async (name) => {
    const [, date] = /^(\d{4}-\d\d-\d\d)\.runs$/.exec(name) ?? [];
    const path = join(folder, name);
    const stats = date && (await stat(path).catch(() => undefined));
    if (!date || !stats) return [];
    return [{ path, day: Date.parse(date), bytes: stats.size, usedAt: stats.mtimeMs }];
  });
  return (await Promise.all(files)).flat();
}
