import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import type { Journal } from '../transfer/journal.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import type { CopyProgress } from './copy-progress.ts';

export interface CopyContext {
  /** Counts its retries instead of printing each. */
  api: Api;
  /** For a file that is sent on while it is received: on the connections of the upload, its request could wait for ever. */
  sourceApi: Api;
  project: string;
  resources: TransferContext;
  progress: CopyProgress;
  /** Undefined if the copy cannot be resumed. */
  journal: Journal | undefined;
  options: CopyOptions;
  command: Context;
}

export interface CopyOptions {
  include: readonly string[];
  exclude: readonly string[];
  /** Follows symbolic links; otherwise they are skipped. */
  follow: boolean;
  clobber: boolean;
  /** Skips unchanged files: same size, not older. */
  update: boolean;
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

/** What a copy does if nothing else is asked for. */
export const usualCopy: CopyOptions = {
  include: [],
  exclude: [],
  follow: false,
  clobber: true,
  update: false,
  dryRun: false,
  check: true,
  verify: false,
  resume: true,
  keepJournal: true,
  concurrency: undefined,
  partSize: undefined,
  limitRate: undefined,
};
