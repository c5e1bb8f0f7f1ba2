import type { AppFacts } from '../spending/index.ts';
import type { DeliveryOptions } from '../webhooks/index.ts';
import type { CallSettings } from './call-input.ts';
import type { InputFile } from './input-file.ts';
import type { RecordFile } from './map-record.ts';

export interface MapCallsOptions extends Pick<CallSettings, 'target' | 'auth' | 'timeoutMs' | 'hasOwnServer'> {
  input: InputFile;
  results: { name: string; path: string };
  record: RecordFile;
  concurrency: number;
  retryFailed: boolean;
  ordered: boolean;
  maxFailures: number | undefined;
  /** Undefined if the app cannot be read. */
  facts: AppFacts | undefined;
  /** US dollars. */
  budget: number | undefined;
  /** How results of asynchronous calls are received; undefined for others. */
  deliver: DeliveryOptions | undefined;
}
