import { distinctPaths } from '../../kernel/distinct-paths.ts';
import { UnexpectedReplyError } from '../../kernel/errors.ts';
import type { BuildFile } from './zip-contents.ts';

/** Paths that differ between the files of two builds, or local ones and those of a build. */
export interface FileChanges {
  added: string[];
  changed: string[];
  removed: string[];
  unchanged: number;
  /** Those of the unchanged files that were compared by CRC-32, because one side has no SHA-256. */
  byCrc32: number;
  /** Those of the unchanged files for which there is no checksum to compare. */
  unverified: number;
}

export const unchangedFiles = (unchanged: number): FileChanges => ({
  ...{ added: [], changed: [], removed: [] },
  ...{ unchanged, byCrc32: 0, unverified: 0 },
});

/** Compares by path, size, CRC-32 and SHA-256, as far as both lists have them. */
export function compareListings(before: readonly BuildFile[], now: readonly BuildFile[]): FileChanges {
  const missing = new Map(distinctFiles(before).map((file) => [file.path, file]));
  const changes = unchangedFiles(0);
  for (const file of distinctFiles(now)) {
    const old = missing.get(file.path);
    missing.delete(file.path);
    if (!old) changes.added.push(file.path);
    else if (isOther(old.size, file.size) || isOther(old.crc32, file.crc32) || isOther(old.sha256, file.sha256)) {
      changes.changed.push(file.path);
    } else {
      changes.unchanged++;
      if (old.sha256 && file.sha256) continue;
      if (old.crc32 !== undefined && file.crc32 !== undefined) changes.byCrc32++;
      else changes.unverified++;
    }
  }
  changes.removed = [...missing.keys()];
  return changes;
}

/** The list of a build comes from the platform. Throws UnexpectedReplyError if it contradicts itself. */
function distinctFiles(files: readonly BuildFile[]): readonly BuildFile[] {
  const { items, repeated } = distinctPaths(files);
  if (repeated === undefined) return items;
  throw new UnexpectedReplyError(`the list of files has ${repeated} twice, with different contents`);
}

/** False if one of them is not known. */
function isOther(one: number | string | undefined, other: number | string | undefined): boolean {
  return [one, other].every((value) => value !== undefined && value !== '') && one !== other;
}
