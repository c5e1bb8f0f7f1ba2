import type { GantryError } from '../../kernel/errors.ts';
import type { WebFile } from '../transfer/web-file.ts';
import type { VolumePath, WalkedFile } from '../volumes/index.ts';

/** Its path is relative to the target folder. */
export interface FoundFile extends WalkedFile {
  /** A file of this machine, of a volume or of the web. */
  from: string | VolumePath | WebFile;
}

export type UncopiedEntry = { path: string; skipped: string } | { path: string; failure: GantryError };

export type FoundEntry = FoundFile | UncopiedEntry;

/** Disks store times with less precision than the platform. */
export const diskToleranceMs = 1_000;

/** Whether the existing copy has the same size and is not older. Does not compare contents. */
export function isUnchanged(
  { bytes, modified }: Pick<FoundFile, 'bytes' | 'modified'>,
  existing: Pick<FoundFile, 'bytes' | 'modified'>,
  toleranceMs = 0,
): boolean {
  if (existing.bytes !== bytes || existing.modified === undefined || modified === undefined) return false;
  return existing.modified + toleranceMs >= modified;
}
