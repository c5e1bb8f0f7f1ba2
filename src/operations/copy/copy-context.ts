import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import type { Journal } from '../../transfer/journal.ts';
import type { TransferResources } from '../../transfer/resources.ts';
import type { CopyOptions } from './copy-options.ts';
import type { CopyProgress } from './copy-progress.ts';

/** What everything that copies files of one command shares. */
export interface CopyContext {
  /** Its retries are counted, not told one by one. */
  api: Api;
  project: string;
  resources: TransferResources;
  progress: CopyProgress;
  /** Undefined when nothing is to be remembered. */
  journal: Journal | undefined;
  options: CopyOptions;
  command: Context;
}
