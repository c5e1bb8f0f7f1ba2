import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeptFile, keptFiles, namesIn, trimFiles } from '../../kernel/disk/index.ts';
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
    const files = keptFiles(path).filter(dayOf);
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

/** Removes old days, the oldest ones beyond the limit, and what killed processes have left. `now`: ms since 1970. */
export function trimMirror(cache: string, now: number): void {
  const root = mirrorRoot(cache);
  const files = namesIn(root).flatMap((name) => keptFiles(join(root, name)));
  // However late a day was read.
  const byDay = files.map((file) => ({ ...file, usedAt: Date.parse(dayOf(file) ?? '') || file.usedAt }));
  trimFiles(byDay, limits, now);
}

const dayOf = ({ name }: KeptFile) => /^\d{4}-\d\d-\d\d(?=\.runs$)/.exec(name)?.[0];
