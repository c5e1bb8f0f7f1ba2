/** How files are copied; what is left out of the numbers is up to us. */
export interface CopyOptions {
  include: readonly string[];
  exclude: readonly string[];
  /** Whether links stand for what they lead to. */
  follow: boolean;
  /** False: what is there stays as it is. */
  clobber: boolean;
  /** Leaves out what is there in the same size, and not older. */
  update: boolean;
  /** Renames files whose names the target's disk does not tell apart, instead of refusing them. */
  renameClashes: boolean;
  dryRun: boolean;
  /** Compares MD5s. */
  check: boolean;
  /** Reads everything back. */
  verify: boolean;
  /** Goes on where an earlier try has ended. */
  continue: boolean;
  /** Keeps what is done in mind, should it be cut off. */
  remember: boolean;
  concurrency: number | undefined;
  /** Bytes. */
  partSize: number | undefined;
  /** Bytes per second. */
  limitRate: number | undefined;
}
