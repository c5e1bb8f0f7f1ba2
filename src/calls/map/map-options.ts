import type { AppFacts } from '../spending.ts';
import type { DeliveryOptions } from '../webhooks/index.ts';
import type { CallSettings } from './call-input.ts';
import type { InputFile } from './input-file.ts';
import type { MapHeading, NamedResults } from './map-log.ts';

export interface MapOptions {
  app: string;
  /** `run` if undefined. */
  fn: string | undefined;
  /** As the user named them. */
  input: string;
  results: string;
  /** Calls in flight; adaptive if undefined. */
  concurrency: number | undefined;
  retryFailed: boolean;
  ordered: boolean;
  /** Stop when so many inputs have failed. */
  maxFailures: number | undefined;
  /** US dollars, for the calls of this command. */
  budget: number | undefined;
  /** How results of asynchronous calls are received; undefined for others. */
  deliver: DeliveryOptions | undefined;
  /** Of one call, in ms. */
  timeoutMs: number | undefined;
  /** False sends no token. */
  auth: boolean;
}

export interface MapCallsOptions
  extends Pick<CallSettings, 'target' | 'auth' | 'timeoutMs' | 'hasOwnServer'>,
    Pick<MapOptions, 'retryFailed' | 'ordered' | 'maxFailures' | 'budget' | 'deliver'> {
  input: InputFile;
  results: NamedResults;
  /** What the results are of. */
  heading: MapHeading;
  concurrency: number;
  /** Undefined if the app cannot be read. */
  facts: AppFacts | undefined;
}
