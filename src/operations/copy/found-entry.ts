import type { GantryError } from '../../errors.ts';
import type { VolumePath } from '../volumes/index.ts';

/** A file to copy. */
export interface FoundFile {
  /** Relative to the target folder, with forward slashes. */
  path: string;
  /** Undefined if the platform does not report it. */
  bytes: number | undefined;
  /** Time of the last change, in ms since 1970. */
  modified: number | undefined;
  from: string | VolumePath;
}

export type SizedFile = FoundFile & { bytes: number };

/** An entry that is skipped or failed. */
export type UncopiedEntry = { path: string; skipped: string } | { path: string; failure: GantryError };

export type FoundEntry = FoundFile | UncopiedEntry;
