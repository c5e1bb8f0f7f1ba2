import { after } from '../../kernel/clock.ts';
import { type GantryError, type PendingError, throwUnexpected } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import { retryDelayMs } from '../../platform/api/retry.ts';
import type { StreamedRequest } from '../../platform/api/streamed.ts';
import { ConnectionError } from '../../platform/api/transport.ts';
import type { Context } from '../../platform/context.ts';
import { type CallHeaders, callApp, defaultHeaders, noResponseYetError, readResponse } from '../invoke/index.ts';
import type { MapInput } from './input-file.ts';
import { type JudgeSettings, type Judgment, judgeResponse, MapStopped } from './judge-response.ts';
import type { JudgedCall, MapResult } from './results-file.ts';

export interface CallSettings extends JudgeSettings {
  open: OpenCalls;
  /** Where an asynchronous call goes, and what it sends besides. */
  request?: { url: URL; headers: CallHeaders };
  /** Keeps the connections between calls. */
  agent: StreamedRequest['agent'];
  timeoutMs: number;
  /** The call was refused (429, 503) or did not arrive: it will be repeated. */
  onRefused: (error: GantryError) => void;
}

/** If no call was accepted while one was refused for so long, the map ends. Only its own pauses count. */
const maxRefusedMs = 10 * 60_000;
const maxPauseMs = 60_000;

export interface CalledInput {
  result: MapResult;
  /** The error of a failure that all inputs would have, unless it is the app's own answer to this one. */
  concernsAll?: (() => Promise<GantryError>) | undefined;
  /** Is called when the result is in the results file. */
  recorded?: (() => void) | undefined;
}

/**
 * Calls the app with one input. A call that had no effect, because it was refused or did not arrive, is repeated. Any
 * other has a result, or a failure that may not be repeated without asking. Throws MapStopped, and the reason of the signal.
 */
export function callInput(context: Context, settings: CallSettings, input: MapInput): Promise<CalledInput> {
  return settings.open.run((call) => {
    const callContext: Context = Object.create(context, { signal: { value: call.signal } });
    return callUntilAccepted(callContext, settings, input, call);
  });
}

function accepted(judgment: Exclude<Judgment, { refused: GantryError }>, ms: number, open: OpenCalls): CalledInput {
  if (!judgment.concernsAll) open.noteTaken();
  return { ...judgment, result: { ...judgment.result, ms } };
}

/** `Retry-After: 0` would be a loop without a pause. */
function pauseAfter({ facts }: GantryError, attempt: number): number {
  return Math.min(maxPauseMs, retryDelayMs(attempt, facts.retryAfterMs || undefined) ?? maxPauseMs);
}

async function callUntilAccepted(context: Context, settings: CallSettings, input: MapInput, call: AbortController) {
  const { open, hasOwnServer, onRefused } = settings;
  const { elapsed } = context;
  const startedAt = elapsed();
  let refusedAt = startedAt;
  let pausedMs = 0;
  for (let attempt = 2; ; attempt++) {
    const judgment = await tryCall(context, settings, input, call);
    const ms = Math.round(elapsed() - startedAt);
    if (!('refused' in judgment)) return accepted(judgment, ms, open);
    const { refused } = judgment;
    if (refused.facts.retryable === false) throw new MapStopped(refused);
    onRefused(refused);
    if (pausedMs >= maxRefusedMs) {
      if (!open.tookOneSince(refusedAt)) throw new MapStopped(refused);
      // Its own server refuses this input only.
      if (hasOwnServer) return { result: { ...failure(refused), ms } };
      pausedMs = 0;
    }
    if (pausedMs === 0) refusedAt = elapsed();
    const pauseMs = pauseAfter(refused, attempt);
    pausedMs += pauseMs;
    await open.pause(call, () => context.delay(pauseMs, call.signal));
  }
}

async function tryCall(context: Context, settings: CallSettings, { body }: MapInput, call: AbortController) {
  const { target, auth, agent, timeoutMs, request } = settings;
  let timeout: PendingError | undefined;
  const end = () => {
    timeout = noResponseYetError(target, timeoutMs);
    call.abort(timeout);
  };
  const stopTimer = after(timeoutMs, end, { background: true });
  try {
    const headers = { ...defaultHeaders('application/json'), ...auth.headers, ...request?.headers };
    const response = await callApp(context, {
      target,
      method: 'POST',
      url: request?.url ?? target.url,
      headers,
      auth,
      body,
      agent,
    });
    return await judgeResponse(context, settings, response, await readResponse(response, context.elapsed));
  } catch (error) {
    if (timeout && error === timeout) return { result: failure(timeout) };
    throwUnexpected(error, call.signal);
    if (!(error instanceof ConnectionError) || error.mayHaveArrived) return { result: failure(error) };
    return { refused: error };
  } finally {
    stopTimer();
  }
}

function failure({ exit, message, facts }: GantryError): JudgedCall {
  return { status: 'failed', error: { code: exit, message, ...defined({ statusCode: facts.status }) }, run: null };
}

/** A call that was refused is not repeated any more: its input has no result. */
export class NotRepeated extends Error {}

/** A call that has been on its way for longer was not refused: the app is processing it. */
const processedAfterMs = 60_000;

/**
 * The calls of a map that have begun and not ended, each with a signal of its own, so that all can be aborted.
 * `AbortSignal.any` would keep something of each call for as long as the common signal lives.
 */
export class OpenCalls {
  /** When each was sent last; undefined while it pauses before it is repeated. Monotonic, in ms. */
  readonly #sentAt = new Map<AbortController, number | undefined>();
  /** When the app has last taken a call. */
  #takenAt = Number.NEGATIVE_INFINITY;
  #hasEnded = false;

  constructor(private readonly elapsed: () => number) {}

  get inFlight(): number {
    return [...this.#sentAt.values()].filter((at) => at !== undefined).length;
  }

  abortAll(reason: unknown): void {
    for (const call of this.#sentAt.keys()) call.abort(reason);
  }

  /** No call is repeated from now on: those that had no effect yet end with a {@link NotRepeated}. */
  endPauses(): void {
    this.#hasEnded = true;
    for (const [call, at] of this.#sentAt) if (at === undefined) call.abort(new NotRepeated());
  }

  async run<T>(call: (controller: AbortController) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#sentAt.set(controller, this.elapsed());
    try {
      return await call(controller);
    } finally {
      this.#sentAt.delete(controller);
    }
  }

  async pause(call: AbortController, wait: () => Promise<void>): Promise<void> {
    if (this.#hasEnded) throw new NotRepeated();
    this.#sentAt.set(call, undefined);
    await wait();
    this.#sentAt.set(call, this.elapsed());
  }

  noteTaken(): void {
    this.#takenAt = this.elapsed();
  }

  /** Whether the app has taken a call since then. */
  tookOneSince(time: number): boolean {
    const isProcessed = (at = Number.POSITIVE_INFINITY) => this.elapsed() - at > processedAfterMs;
    return this.#takenAt >= time || [...this.#sentAt.values()].some(isProcessed);
  }
}
