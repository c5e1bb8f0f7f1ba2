import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import type { Journal } from '../../transfer/journal.ts';
import type { TransferResources } from '../../transfer/resources.ts';
import type { Tally } from './copy-progress.ts';
import type { CopyOptions } from './options.ts';

/** What everything that copies files of one command shares. */
export interface Job {
  /** Its retries are counted, not told one by one. */
  api: Api;
  project: string;
  engine: TransferResources;
  tally: Tally;
  /** Undefined when nothing is to be remembered. */
  journal: Journal | undefined;
  options: CopyOptions;
  context: Context;
}
