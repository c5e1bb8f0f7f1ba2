import type { Api } from '../../platform/api/client.ts';
import type { Context } from '../../platform/context.ts';
import type { Journal } from '../transfer/journal.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import type { CopyOptions } from './copy-options.ts';
import type { CopyProgress } from './copy-progress.ts';

/** Everything that the copy of one command shares. */
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
