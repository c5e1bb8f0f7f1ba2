import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dayMs } from '../durations.ts';
import { attempt } from '../errors.ts';
import { namesIn } from './folders.ts';
import { isNamedTemporary } from './temporary.ts';

/** A file in a folder of what is kept for later commands. */
export interface KeptFile {
  path: string;
  name: string;
  bytes: number;
  /** When it was written last, in ms since 1970. */
  usedAt: number;
}

export function keptFiles(folder: string): KeptFile[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = attempt(() => statSync(path));
    return stats?.isFile() ? [{ path, name, bytes: stats.size, usedAt: stats.mtimeMs }] : [];
  });
}

/**
 * Removes what was not used for so many days, or for the longest time until the rest fits, and what a killed process has
 * left. Best effort.
 */
export function trimFiles(
  files: readonly KeptFile[],
  { bytes: limit = Number.POSITIVE_INFINITY, days }: { bytes?: number; days: number },
  now = Date.now(),
): void {
  let all = 0;
  for (const { path, name, bytes, usedAt } of files.toSorted((a, b) => b.usedAt - a.usedAt)) {
    all += bytes;
    const maxDays = isNamedTemporary(name) ? 1 : days;
    if (all > limit || usedAt < now - maxDays * dayMs) attempt(() => rmSync(path, { force: true }));
  }
}
