export interface CopyOptions {
  include: readonly string[];
  exclude: readonly string[];
  /** Follows symbolic links; otherwise they are skipped. */
  follow: boolean;
  /** Overwrites existing files. */
  clobber: boolean;
  /** Skips unchanged files: same size, not older. */
  update: boolean;
  /** Renames files whose names are equal on the target disk, instead of refusing to copy. */
  renameClashes: boolean;
  dryRun: boolean;
  /** Compares checksums during the transfer. */
  check: boolean;
  /** Reads the copies back and compares checksums. */
  verify: boolean;
  resume: boolean;
  /** Records progress in a journal, so that the copy can be resumed. */
  keepJournal: boolean;
  /** Requests in flight; undefined: adaptive. */
  concurrency: number | undefined;
  /** In bytes; undefined: adaptive. */
  partSize: number | undefined;
  /** In bytes per second; undefined: unlimited. */
  limitRate: number | undefined;
}
