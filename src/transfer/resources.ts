import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Dispatcher } from 'undici';
import type { Retry } from '../api/retry.ts';
import { Blocks } from './blocks.ts';
import { type ConnectionOptions, openConnections } from './connections.ts';
import { Gate } from './gate.ts';
import { Hasher } from './hash.ts';
import { mib } from './parts.ts';
import { Rate } from './rate.ts';
import { limitYoungGeneration } from './young-generation.ts';

/** What all transfers of one command share. */
export interface Engine {
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
  large: Gate;
  /** Requests with little to carry: the more there are under way, the less their delay matters. */
  small: Gate;
  blocks: Blocks;
  rate: Rate | undefined;
  /** Without it nothing is checked. */
  hasher: Hasher | undefined;
}

export interface EngineOptions extends ConnectionOptions {
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
export const smallBytes = mib;

const usualLarge = 8;
const usualSmall = 64;
/** Under a limit so many bytes per second and connection: storage gives up connections on which too little comes. */
const leastRate = 256 * 1024;

/** Runs `work` with an engine, and takes it apart afterwards. */
export async function withEngine<T>(options: EngineOptions, work: (engine: Engine) => Promise<T>): Promise<T> {
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
      large: new Gate(widest.large, elapsed),
      small: new Gate(widest.small, elapsed),
      blocks: new Blocks(),
      rate: limitRate === undefined ? undefined : new Rate(limitRate, { elapsed, delay }),
    });
  } finally {
    release();
    over.abort();
    await Promise.all([dispatcher.destroy(), hasher?.close()]);
  }
}
