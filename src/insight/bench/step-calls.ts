import { findRunId } from '../../calls/invoke/index.ts';
import { onAbort, pause } from '../../kernel/clock.ts';
import type { LoadCalls } from '../../platform/api/load-calls.ts';
import { isSuccessStatus } from '../../platform/api/transient-failures.ts';

/** How a call ended, besides with a status of HTTP. */
export const noResponse = -1;
export const noConnection = -2;
const inFlight = 0;
/** How late a timer may be: no caller waits for that. In ms. */
const timerMs = 2;

/** A call of a step. Times in ms since that began. */
export interface StepCall {
  dueAt: number;
  sentAt: number;
  /** How late it was sent. */
  lateMs: number;
  /** How long its caller has waited, since the moment in which it was due: a busy sender hides nothing. */
  durationMs: number;
  /** A status of HTTP, or one of those above; 0 in flight. */
  status: number;
  run?: string | undefined;
  /** What the platform has recorded of it, in ms; `at` since 1970. Not known: NaN. */
  record?: Record<'at' | 'runtimeMs' | 'coldStartMs' | 'queueMs', number> & { replica: string | undefined };
}

/** The calls of one step. */
export class StepCalls {
  readonly calls: StepCall[] = [];
  ended = 0;
  /** How many of the ended ones nobody waited for any longer. */
  abandoned = 0;
  /** How long the one took that ended last. */
  lastMs: number | undefined;
  /** How much of a processor was used meanwhile here. */
  busy = 0;
  /** What could not be connected to, and why. */
  readonly reasons = new Map<string, number>();

  constructor(
    readonly rate: number,
    readonly count: number,
    /** When it started by the platform's clock, in ms since 1970. */
    readonly startedAt: number,
  ) {}

  get sent(): number {
    return this.calls.length;
  }

  get inFlight(): number {
    return this.sent - this.ended;
  }

  /** When the call is to be sent. */
  dueAt(call: number): number {
    return (call * 1_000) / this.rate;
  }

  start(sentAt: number): StepCall {
    const dueAt = this.dueAt(this.sent);
    const lateMs = sentAt - dueAt > timerMs ? sentAt - dueAt : 0;
    const call = { dueAt, sentAt, lateMs, durationMs: Number.NaN, status: inFlight };
    this.calls.push(call);
    return call;
  }

  end(call: StepCall, at: number, status: number, run?: string): void {
    if (call.status !== inFlight) return;
    this.lastMs = at - call.sentAt + call.lateMs;
    Object.assign(call, { durationMs: this.lastMs, status, run });
    this.ended++;
    if (status === noResponse) this.abandoned++;
  }
}

export const callSucceeded = ({ status }: StepCall): boolean => isSuccessStatus(status);

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
  const failed = (call: StepCall, reason: unknown) => {
    const { code = '' } = ((reason as Error).cause ?? {}) as { code?: string };
    const isTimeout = code.includes('TIMEOUT') || reason === outOfTime;
    calls.end(call, elapsed(), isTimeout ? noResponse : noConnection);
    if (!isTimeout && !signal.aborted) countReason(calls, reason);
  };
  const stopListening = onAbort(signal, () => load.abort(signal.reason));
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
        const call = calls.start(elapsed());
        load.start().then(
          ({ status, headers, bodyStart }) => calls.end(call, elapsed(), status, findRunId({ headers }, bodyStart)),
          (reason) => failed(call, reason),
        );
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
    stopListening();
    load.abort(outOfTime);
    for (const call of calls.calls) calls.end(call, elapsed(), noResponse);
  }
}

const outOfTime = new Error('no response in time');

function countReason({ reasons }: StepCalls, error: unknown): void {
  const reason = String((error as Error).message || error);
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}
