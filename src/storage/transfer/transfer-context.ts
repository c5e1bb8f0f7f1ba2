import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Dispatcher } from 'undici';
import type { GantryError } from '../../kernel/errors.ts';
import { RemoteClock } from '../../platform/api/remote-clock.ts';
import { type Retry, withRetries } from '../../platform/api/retry.ts';
import { isOverload } from '../../platform/api/transient-failures.ts';
import { BlockPool } from './block-pool.ts';
import { type ConnectionOptions, DownloadConnections, openConnections } from './connections.ts';
import { Hasher } from './hash.ts';
import { limitHeapGrowth } from './heap-growth.ts';
import { mib } from './parts.ts';
import { type RequestKind, RequestLimiter } from './request-limiter.ts';
import { TaskQueue } from './task-queue.ts';

export interface TransferContext {
  dispatcher: Dispatcher;
  /** For what is received while it is sent on: on the connections of `dispatcher`, both could wait for each other. */
  sourceDispatcher: Dispatcher;
  /** As in {@link ConnectionOptions}. */
  silenceMs: number;
  signal: AbortSignal;
  /** Wall-clock time, for stored times and those of the platform. */
  now: () => number;
  /** Monotonic time, for durations, rates and the lifetime of URLs. */
  elapsed: () => number;
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
  onRetry: (retry: Retry) => void;
  /** Called with transferred bytes, and with a negative number for bytes that must be sent again. */
  onBytes: (bytes: number) => void;
  requests: RequestLimiter;
  storageClock: RemoteClock;
  blocks: BlockPool;
  blockConnections: DownloadConnections;
  rateLimit: RateLimit | undefined;
  /** Whether what is transferred is compared by checksums. That of a file from the web is, in any case. */
  check: boolean;
  hasher: Hasher;
  /** Memory for parts that are received while they are sent; a place is a byte. */
  relayRoom: TaskQueue;
}

type Callbacks = Pick<TransferContext, 'signal' | 'now' | 'elapsed' | 'delay' | 'onRetry' | 'onBytes'>;

export interface TransferOptions extends ConnectionOptions, Callbacks {
  /** Requests in flight; undefined: adaptive. */
  concurrency: number | undefined;
  /** Bytes per second. */
  limitRate: number | undefined;
  check: boolean;
  /** Takes the decisions about requests in flight; shown with `--debug`. */
  trace?: (decision: string) => void;
}

export const maxSmallBytes = mib;

export function requestKind(fileBytes: number): RequestKind {
  return fileBytes > maxSmallBytes ? 'large' : 'small';
}

/** Enough for the delay of a fast line. With that of the program, a copy from the web takes less than 200 MB. */
const maxRelayBytes = 48 * mib;

/** Unused bandwidth may be made up for within this time, in ms. */
const burstMs = 100;

/** Limits the bytes per second of all connections together, first come, first served. */
export class RateLimit {
  /** Start of the current burst. Bytes are counted from it, because summing up small delays adds rounding errors. */
  #startedAt = 0;
  #bytes = 0;

  constructor(
    readonly bytesPerSecond: number,
    private readonly clock: Pick<Callbacks, 'elapsed' | 'delay'>,
  ) {}

  /** Resolves when these bytes may be sent or read. */
  async wait(bytes: number, signal: AbortSignal): Promise<void> {
    const now = this.clock.elapsed();
    if (this.#dueAt < now - burstMs) {
      this.#startedAt = now - burstMs;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#dueAt > now) await this.clock.delay(this.#dueAt - now, signal);
  }

  get #dueAt(): number {
    return this.#startedAt + (this.#bytes / this.bytesPerSecond) * 1000;
  }
}

export async function withTransferContext<T>(
  options: TransferOptions,
  work: (resources: TransferContext) => Promise<T>,
): Promise<T> {
  const { concurrency, limitRate, trace = () => {}, proxy: _, ...shared } = options;
  const { signal, now, elapsed, delay } = options;
  setMaxListeners(0, signal);
  const requests = new RequestLimiter({ concurrency, limitRate, elapsed, trace });
  const closing = new AbortController();
  const either = AbortSignal.any([signal, closing.signal]);
  setMaxListeners(0, either);
  const open = () => openConnections(options, requests.max, either);
  const [dispatcher, sourceDispatcher] = await Promise.all([open(), open()]);
  const hasher = new Hasher(Math.max(1, Math.min(2, availableParallelism() - 1)));
  const blocks = new BlockPool();
  const blockConnections = new DownloadConnections({ ...options, blocks, signal: either });
  const allowHeapGrowth = limitHeapGrowth();
  try {
    return await work({
      ...shared,
      dispatcher,
      sourceDispatcher,
      hasher,
      relayRoom: new TaskQueue(maxRelayBytes),
      requests,
      storageClock: new RemoteClock(now),
      blocks,
      blockConnections,
      rateLimit: limitRate === undefined ? undefined : new RateLimit(limitRate, { elapsed, delay }),
    });
  } finally {
    allowHeapGrowth();
    closing.abort();
    blockConnections.close();
    await Promise.all([dispatcher.destroy(), sourceDispatcher.destroy(), hasher.close()]);
  }
}

/** Repeats what may pass, and makes fewer requests if that is asked for. */
export function repeated<T>(
  attempt: () => Promise<T>,
  resources: TransferContext,
  mayRepeat: (error: GantryError) => boolean = () => true,
): Promise<T> {
  const isTransient = (error: GantryError) => {
    if (isOverload(error)) resources.requests.reduce();
    return error.facts.retryable === true && mayRepeat(error);
  };
  return withRetries(attempt, isTransient, resources);
}
