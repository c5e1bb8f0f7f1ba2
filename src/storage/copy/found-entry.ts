import type { GantryError } from '../../kernel/errors.ts';
import type { WebFile } from '../transfer/web-file.ts';
import type { VolumePath } from '../volumes/index.ts';

export interface FoundFile {
  /** Relative to the target folder, with forward slashes. */
  path: string;
  bytes: number;
  /** Time of the last change, in ms since 1970. */
  modified: number | undefined;
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
  existing: { bytes: number; modified: number | undefined },
  toleranceMs = 0,
): boolean {
  if (existing.bytes !== bytes || existing.modified === undefined || modified === undefined) return false;
  return existing.modified + toleranceMs >= modified;
}

/** Parses RFC 3339 to ms since 1970; undefined for an invalid or zero time. */
export function parseTimestamp(text: string | null): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) || time <= 0 ? undefined : time;
}
