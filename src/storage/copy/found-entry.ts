import type { GantryError } from '../../kernel/errors.ts';
import type { WebFile } from '../transfer/web-file.ts';
import type { VolumePath } from '../volumes/index.ts';

/** A file to copy. */
export interface FoundFile {
  /** Relative to the target folder, with forward slashes. */
  path: string;
  /** Undefined if the listing does not report it. */
  bytes: number | undefined;
  /** Time of the last change, in ms since 1970. */
  modified: number | undefined;
  /** A file of this machine, of a volume or of the web. */
  from: string | VolumePath | WebFile;
}

export type SizedFile = FoundFile & { bytes: number };

/** An entry that is skipped or failed. */
export type UncopiedEntry = { path: string; skipped: string } | { path: string; failure: GantryError };

export type FoundEntry = FoundFile | UncopiedEntry;
