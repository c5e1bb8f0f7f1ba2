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

/** What all transfers of one command share. */
export interface TransferResources {
  dispatcher: Dispatcher;
  signal: AbortSignal;
  /** Wall-clock time: for what is stored or compared with the platform's times. */
  now: () => number;
  /** A clock that does not jump: for durations, rates and the life of links. */
  elapsed: () => number;
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
  onRetry: (retry: Retry) => void;
  /** Hears of bytes that went over the line, and of as many less when they have to go again. */
  onBytes: (bytes: number) => void;
  /** Requests with a lot to carry: a few fill the line. */
  large: ConcurrencyLimit;
  /** Requests with little to carry: the more there are under way, the less their delay matters. */
  small: ConcurrencyLimit;
  blocks: BlockPool;
  rateLimit: RateLimit | undefined;
  /** Without it nothing is checked. */
  hasher: Hasher | undefined;
}

export interface TransferOptions extends ConnectionOptions {
  signal: AbortSignal;
  now: () => number;
  elapsed: () => number;
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
  onRetry: (retry: Retry) => void;
  onBytes: (bytes: number) => void;
  /** Requests at the same time; what is best for each kind of them if left out. */
  concurrency: number | undefined;
  /** Bytes per second. */
  limitRate: number | undefined;
  check: boolean;
}

/** Up to this many bytes a file, or a part of one, is small. */
export const maxSmallBytes = mib;

const usualLarge = 8;
const usualSmall = 64;
/** Under a limit so many bytes per second and connection: storage gives up connections on which too little comes. */
const leastRate = 256 * 1024;

/** Runs `work` with an resources, and takes it apart afterwards. */
export async function withTransferResources<T>(
  options: TransferOptions,
  work: (resources: TransferResources) => Promise<T>,
): Promise<T> {
  const { signal, now, elapsed, delay, onRetry, onBytes, concurrency, limitRate, check } = options;
  setMaxListeners(0, signal);
  const most = limitRate === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(limitRate / leastRate));
  const widest = { large: Math.min(most, concurrency ?? usualLarge), small: Math.min(most, concurrency ?? usualSmall) };
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const dispatcher = await openConnections(options, Math.max(widest.large, widest.small), until);
  const hasher = check ? new Hasher(Math.max(1, Math.min(2, availableParallelism() - 1))) : undefined;
  const release = limitYoungGeneration();
  try {
    return await work({
      ...{ dispatcher, signal, now, elapsed, delay, onRetry, onBytes, hasher },
      large: new ConcurrencyLimit(widest.large, elapsed),
      small: new ConcurrencyLimit(widest.small, elapsed),
      blocks: new BlockPool(),
      rateLimit: limitRate === undefined ? undefined : new RateLimit(limitRate, { elapsed, delay }),
    });
  } finally {
    release();
    over.abort();
    await Promise.all([dispatcher.destroy(), hasher?.close()]);
  }
}
