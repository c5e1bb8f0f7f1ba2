import { pause, turn } from '../../../kernel/clock.ts';
import { begun } from '../../../kernel/once.ts';
import type { ByteStream, ServerReply } from '../../http/reply.ts';
import {
  type Replica,
  type ReplicaCall,
  ReplicaError,
  type ReplicaOptions,
  raceAbort,
  type SocketCall,
  type SocketReply,
  UndeliveredError,
} from './replica.ts';

export interface RestartingOptions {
  /** Starts its process, or starts it again. */
  start(): Replica;
  now(): number;
  /** The pause before the second restart, in ms. The first has none, and each later one is twice as long. */
  pauseMs: number;
  print: ReplicaOptions['print'];
}

const maxPauseMs = 5 * 60_000;
/** A process that ran this long without a problem starts the pauses over. */
const stableMs = 10 * 60_000;

/** How often a call is delivered: an app may start well and end at once, again and again. */
const maxDeliveries = 3;
/** How long a process that takes no calls may take to end. A server may also have stopped listening, and run on. */
const endingMs = 3_000;
/** How long the end of a process may be noticed after that of its connections. */
const noticedMs = 500;

/**
 * A replica whose process is started again when it ends, as a platform restarts a container
 * (docs/platform.md#containers). One that was never ready has failed to start, and is not started again.
 */
export class RestartingReplica implements Replica {
  /** Resolves when it has ended for good. */
  readonly ended: Promise<string>;
  readonly startedAt: number;
  restarts = 0;
  isReady = false;
  /** When its process became ready the last time; undefined if none has been. */
  readyAt: number | undefined;
  /** Those that it handles now, until the last byte or the end of a socket. */
  readonly runs = new Set<string>();
  /** When its process ended; undefined while it runs. */
  exitedAt: number | undefined;
  #current: Replica;
  #ready: Promise<void>;
  /** Exits since the pauses began. */
  #exits = 0;
  #pause: AbortController | undefined;
  #isStopped = false;
  readonly #options: RestartingOptions;

  constructor(options: RestartingOptions) {
    this.#options = options;
    this.startedAt = options.now();
    this.#current = options.start();
    this.#ready = begun(this.#watchStart());
    this.ended = this.#keepRunning();
  }

  get ready(): Promise<void> {
    return this.#ready;
  }

  get pid(): number | undefined {
    return this.exitedAt === undefined ? this.#current.pid : undefined;
  }

  /** A run that ends with the process has the reason in its log, also in the middle of its response. */
  async call(call: ReplicaCall): Promise<ServerReply> {
    return this.#deliver(call.signal, async (replica) => {
      const reply = await replica.call(call).catch((error) => this.#explain(error, replica, call));
      const { body } = reply;
      if (typeof body === 'string') return reply;
      const failed = (error: unknown) => this.#explain(error, replica, call);
      return { ...reply, body: { ...body, read: () => watched(body.read(), failed) } };
    });
  }

  async openSocket(call: SocketCall): Promise<SocketReply> {
    return this.#deliver(call.signal, async (replica) => {
      if (!replica.openSocket) throw new ReplicaError('its runtime has no WebSockets');
      const reply = await replica.openSocket(call).catch((error) => this.#explain(error, replica, call));
      const broken = new Error('its socket broke off');
      return { ...reply, explainBreak: () => this.#explain(broken, replica, call).catch(() => {}) };
    });
  }

  /** Rejects with the reason of its process's end, if that is why a call failed, after writing it to the run's log. */
  async #explain(
    error: unknown,
    replica: Replica,
    { run, signal }: Pick<ReplicaCall, 'run' | 'signal'>,
  ): Promise<never> {
    if (error instanceof UndeliveredError || signal.aborted) throw error;
    const reason = await endOf(replica, signal, replica.noticedMs ?? noticedMs);
    const hasDied = reason !== undefined && !this.#isStopped;
    const failure = hasDied && error instanceof ReplicaError ? new ReplicaError(reason) : error;
    if (hasDied || error instanceof ReplicaError) {
      const text = `error: ${hasDied ? reason : (error as Error).message}`;
      this.#options.print({ run, stream: 'stderr', text });
    }
    throw failure;
  }

  /** Ends the pause before a restart: a call waits for it. */
  restartNow(): void {
    this.#pause?.abort();
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    this.#pause?.abort();
    await this.#current.stop(graceMs);
    await this.ended;
  }

  /** What a process did not get because it was ending is for the next one. */
  async #deliver<T>(signal: AbortSignal, send: (replica: Replica) => Promise<T>): Promise<T> {
    for (let left = maxDeliveries; ; left--) {
      const current = this.#current;
      try {
        return await send(current);
      } catch (error) {
        if (!(error instanceof UndeliveredError) || left === 1) throw error;
        if ((await endOf(current, signal, endingMs)) === undefined) throw error;
        signal.throwIfAborted();
        this.restartNow();
        await raceAbort(this.#ready, signal);
      }
    }
  }

  async #keepRunning(): Promise<string> {
    for (;;) {
      const reason = await this.#current.ended.catch((error: Error) => error.message);
      this.exitedAt = this.#options.now();
      if (this.#isStopped || this.readyAt === undefined) return reason;
      const wasStable = this.isReady && this.exitedAt - this.readyAt > stableMs;
      this.isReady = false;
      this.#exits = wasStable ? 1 : this.#exits + 1;
      const restarted = this.#restart(reason);
      this.#ready = begun(restarted.then(() => this.#watchStart()));
      try {
        await restarted;
      } catch {
        return reason;
      }
    }
  }

  async #restart(reason: string): Promise<void> {
    const { pauseMs, print, start } = this.#options;
    const waitMs = this.#exits === 1 ? 0 : Math.min(maxPauseMs, pauseMs * 2 ** (this.#exits - 2));
    const when = waitMs === 0 ? 'now' : `in ${Math.ceil(waitMs / 1000)} s`;
    print({ stream: 'stderr', text: `error: ${reason}; restart ${this.restarts + 1} of the replica ${when}` });
    if (waitMs > 0) {
      this.#pause = new AbortController();
      await pause(waitMs, this.#pause.signal, { background: true }).catch(() => {});
      this.#pause = undefined;
    }
    if (this.#isStopped) throw new ReplicaError('it was stopped');
    this.#current = start();
    this.restarts += 1;
    this.exitedAt = undefined;
  }

  async #watchStart(): Promise<void> {
    const current = this.#current;
    await current.ready;
    if (current !== this.#current || this.exitedAt !== undefined) return;
    this.isReady = true;
    this.readyAt = this.#options.now();
  }
}

/** Why it has ended, when what follows from that has happened; undefined if it runs on. */
async function endOf(replica: Replica, signal: AbortSignal, ms: number): Promise<string | undefined> {
  const waiting = new AbortController();
  const late = pause(ms, AbortSignal.any([signal, waiting.signal])).then(
    () => undefined,
    () => undefined,
  );
  const reason = await Promise.race([replica.ended.catch((error: Error) => error.message), late]);
  waiting.abort();
  await turn();
  return reason;
}

async function* watched(content: ByteStream, failed: (error: unknown) => Promise<never>): ByteStream {
  try {
    yield* content;
  } catch (error) {
    await failed(error);
  }
}
