import type { GantryError } from '../../errors.ts';
import type { VolumePath } from '../volumes/index.ts';

/** A file to copy. */
export interface FoundFile {
  /** Where it goes, below the target folder, with forward slashes. */
  path: string;
  /** Undefined where the platform does not tell it. */
  bytes: number | undefined;
  /** When it was last changed, in milliseconds since 1970. */
  modified: number | undefined;
  /** On this machine, a path; or on a volume. */
  from: string | VolumePath;
}

/** A file whose size is known. */
export type SizedFile = FoundFile & { bytes: number };

/** Something that is not copied, and why; or something that cannot be, and the failure. */
export type UncopiedEntry = { path: string; skipped: string } | { path: string; failure: GantryError };

export type FoundEntry = FoundFile | UncopiedEntry;
