import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Dispatcher } from 'undici';
import type { Retry } from '../api/retry.ts';
import { BlockPool } from './block-pool.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { type ConnectionOptions, openConnections } from './connections.ts';
import { Hasher } from './hash.ts';
import { mib } from './parts.ts';
import { RateLimit } from './rate-limit.ts';
import { limitYoungGeneration } from './young-generation.ts';

/** Resources that all transfers of a command share. */
export interface TransferResources {
  dispatcher: Dispatcher;
  /** For what is received while it is sent on: on the connections of `dispatcher`, both could wait for each other. */
  sourceDispatcher: Dispatcher;
  signal: AbortSignal;
  /** Wall-clock time, for stored times and those of the platform. */
  now: () => number;
  /** Monotonic time, for durations, rates and the lifetime of URLs. */
  elapsed: () => number;
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
  onRetry: (retry: Retry) => void;
  /** Called with transferred bytes, and with a negative number for bytes that must be sent again. */
  onBytes: (bytes: number) => void;
  /** Limits large requests: a few saturate the connection. */
  large: ConcurrencyLimit;
  /** Limits small requests: many in flight hide their latency. */
  small: ConcurrencyLimit;
  blocks: BlockPool;
  rateLimit: RateLimit | undefined;
  /** Undefined if checksums are off. */
  hasher: Hasher | undefined;
}

type Callbacks = Pick<TransferResources, 'signal' | 'now' | 'elapsed' | 'delay' | 'onRetry' | 'onBytes'>;

export interface TransferOptions extends ConnectionOptions, Callbacks {
  /** Requests in flight; if undefined, a default for large and small requests each. */
  concurrency: number | undefined;
  /** Bytes per second. */
  limitRate: number | undefined;
  check: boolean;
}

/** A file or part is small up to this size. */
export const maxSmallBytes = mib;

const defaultLarge = 8;
const defaultSmall = 64;
/** Minimum bytes per second and connection under a rate limit: storage closes connections that are too slow. */
const minConnectionRate = 256 * 1024;

/** Opens the resources, runs `work` and closes them. */
export async function withTransferResources<T>(
  options: TransferOptions,
  work: (resources: TransferResources) => Promise<T>,
): Promise<T> {
  const { signal, now, elapsed, delay, onRetry, onBytes, concurrency, limitRate, check } = options;
  setMaxListeners(0, signal);
  const maxConnections =
    limitRate === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(limitRate / minConnectionRate));
  const limits = {
    large: Math.min(maxConnections, concurrency ?? defaultLarge),
    small: Math.min(maxConnections, concurrency ?? defaultSmall),
  };
  const closing = new AbortController();
  const either = AbortSignal.any([signal, closing.signal]);
  const open = () => openConnections(options, Math.max(limits.large, limits.small), either);
  const [dispatcher, sourceDispatcher] = await Promise.all([open(), open()]);
  const hasher = check ? new Hasher(Math.max(1, Math.min(2, availableParallelism() - 1))) : undefined;
  const restoreYoungGeneration = limitYoungGeneration();
  try {
    return await work({
      dispatcher,
      sourceDispatcher,
      signal,
      now,
      elapsed,
      delay,
      onRetry,
      onBytes,
      hasher,
      large: new ConcurrencyLimit(limits.large, elapsed),
      small: new ConcurrencyLimit(limits.small, elapsed),
      blocks: new BlockPool(),
      rateLimit: limitRate === undefined ? undefined : new RateLimit(limitRate, { elapsed, delay }),
    });
  } finally {
    restoreYoungGeneration();
    closing.abort();
    await Promise.all([dispatcher.destroy(), sourceDispatcher.destroy(), hasher?.close()]);
  }
}
