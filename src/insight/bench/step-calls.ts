import { findRunId } from '../../calls/invoke/index.ts';
import { pause } from '../../kernel/clock.ts';
import { GantryError } from '../../kernel/errors.ts';
import type { LoadCalls, LoadListener } from '../../platform/api/load-calls.ts';

/** How a call ended, besides with a status of HTTP. */
export const noResponse = -1;
export const noConnection = -2;
const inFlight = 0;

/** The calls of one step, in columns: a thousand a second leave little behind. Times in ms since the step began. */
export class StepCalls {
  sent = 0;
  ended = 0;
  /** How many of the ended ones nobody waited for any longer. */
  abandoned = 0;
  readonly sentAt: Float64Array;
  readonly endedAt: Float64Array;
  /** A status of HTTP, or one of those above; 0 in flight. */
  readonly status: Int16Array;
  readonly runs: (string | undefined)[] = [];
  /** What could not be connected to, and why. */
  readonly reasons = new Map<string, number>();

  constructor(
    readonly rate: number,
    readonly count: number,
    /** When it started by the platform's clock, in ms since 1970. */
    readonly startedAt: number,
  ) {
    this.sentAt = new Float64Array(count);
    this.endedAt = new Float64Array(count).fill(Number.NaN);
    this.status = new Int16Array(count);
  }

  get inFlight(): number {
    return this.sent - this.ended;
  }

  /** When the call is to be sent. */
  dueAt(call: number): number {
    return (call * 1_000) / this.rate;
  }

  start(call: number, at: number): void {
    this.sentAt[call] = at;
    this.sent = call + 1;
  }

  end(call: number, at: number, status: number, run?: string): void {
    if (this.status[call] !== inFlight) return;
    this.endedAt[call] = at;
    this.status[call] = status;
    this.runs[call] = run;
    this.ended++;
    if (status === noResponse) this.abandoned++;
  }

  hasSucceeded(call: number): boolean {
    const status = this.status[call] as number;
    return status >= 200 && status < 300;
  }

  /** How late it was sent. A timer may be late by as much as it is coarse, and that is no wait of a caller. */
  lateMs(call: number): number {
    const late = (this.sentAt[call] as number) - this.dueAt(call);
    return late > timerMs ? late : 0;
  }

  /** How long its caller has waited, since the moment in which it was due: a busy sender hides nothing. */
  durationMs(call: number): number {
    return (this.endedAt[call] as number) - (this.sentAt[call] as number) + this.lateMs(call);
  }
}

const timerMs = 2;

interface LoopOptions {
  /** How long a call may take, in ms. */
  timeoutMs: number;
  /** Aborted, no more calls are sent, and those in flight end. */
  signal: AbortSignal;
  /** Asked before each call, and in between: whether no more calls are to be sent. */
  isOver: () => boolean;
  onProgress: () => void;
}

const progressMs = 200;
/** Between two looks at whether all calls have ended. */
const drainMs = 5;

/**
 * Sends the calls of a step when they are due, whether or not others have been answered: an open loop, in which a slow
 * app gets no fewer calls. Then waits for those in flight.
 */
export async function runOpenLoop(load: LoadCalls, calls: StepCalls, options: LoopOptions): Promise<void> {
  const { timeoutMs, signal, isOver, onProgress } = options;
  const origin = performance.now();
  const elapsed = () => performance.now() - origin;
  const listener: LoadListener = {
    replied: (call, status, headers, bodyStart) =>
      calls.end(call, elapsed(), status, findRunId({ headers }, bodyStart)),
    failed(call, reason) {
      const { code = '' } = ((reason as Error).cause ?? {}) as { code?: string };
      const isTimeout = code.includes('TIMEOUT') || reason === outOfTime;
      calls.end(call, elapsed(), isTimeout ? noResponse : noConnection);
      if (!isTimeout && !signal.aborted) countReason(calls, reason);
    },
  };
  const abort = () => load.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = () => {
    if (elapsed() - shownAt < progressMs) return;
    shownAt = elapsed();
    onProgress();
  };
  const wait = (ms: number) => pause(ms, signal).catch(() => {});
  try {
    while (calls.sent < calls.count && !signal.aborted && !isOver()) {
      const now = elapsed();
      // Before each: many are due at once after this machine was busy.
      while (calls.sent < calls.count && calls.dueAt(calls.sent) <= now && !isOver()) {
        const call = calls.sent;
        calls.start(call, elapsed());
        load.start(call, listener);
      }
      show();
      // A second at most: what ends the step is looked at in between.
      if (calls.sent < calls.count) await wait(Math.min(1_000, Math.max(1, calls.dueAt(calls.sent) - elapsed())));
    }
    for (const lastSentAt = elapsed(); calls.inFlight > 0 && !signal.aborted; show()) {
      if (elapsed() - lastSentAt > timeoutMs) break;
      await wait(drainMs);
    }
  } finally {
    signal.removeEventListener('abort', abort);
    load.abort(outOfTime);
    for (let call = 0; call < calls.sent; call++) calls.end(call, elapsed(), noResponse);
  }
}

const outOfTime = new Error('no response in time');

function countReason({ reasons }: StepCalls, error: unknown): void {
  const reason = error instanceof GantryError ? error.message : String((error as Error).message || error);
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}
