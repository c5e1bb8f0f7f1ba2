import { DeniedError, GantryError, NotFoundError, UnavailableError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { mayBeRunId } from '../ids.ts';
import { timeoutSignal } from './deadline.ts';

/** What the platform shows, or its refusal to show anything. */
export type Shown<State> = { state: State } | { refusal: GantryError };

/** Whether the platform replied that there is nothing to look at (404, 405), or that it may not be looked at (403). */
export function isRefusal(error: unknown): error is GantryError {
  if (!(error instanceof GantryError)) return false;
  const { status } = error.facts;
  return status === 405 || (status !== undefined && (error instanceof DeniedError || error instanceof NotFoundError));
}

/** How long the platform may not know what a command has just created, in ms. */
const unknownMs = 60_000;

/** Until there is a record, the platform does not find it (404), or denies it (403). `shownMs`: how long ago it was shown. */
export function isTooEarly(error: unknown, ageMs: number, shownMs?: number): error is GantryError {
  const isEarly = shownMs === undefined ? ageMs <= unknownMs : shownMs <= shownLateMs;
  return isEarly && isRefusal(error) && error.facts.status !== 405;
}

/** What is read, undefined if that fails with such an error. */
export async function unless<T>(is: (error: unknown) => boolean, reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (is(error)) return undefined;
    throw error;
  });
}

/** Undefined if the platform does not know it: an app that is not deployed yet, a build that is gone. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  return unless((error) => error instanceof NotFoundError, reading);
}

/** Undefined if it fails, for whatever reason: what is asked for goes on without. Throws an interruption. */
export async function ifTold<T>({ signal }: Pick<Context, 'signal'>, reading: Promise<T>): Promise<T | undefined> {
  return unless((error) => !signal.aborted && error instanceof GantryError, reading);
}

const detailsMs = 5_000;

/** Best-effort request for details of an error: returns undefined on failure. */
export async function tryRequest<T>(
  context: Pick<Context, 'apiWithSignal' | 'signal'>,
  request: (api: Context['api']) => Promise<T>,
): Promise<T | undefined> {
  const signal = timeoutSignal(detailsMs, () => new UnavailableError('request timed out'), context.signal);
  return request(context.apiWithSignal(signal, () => {})).catch(() => undefined);
}

/** A token may allow a change and not a look at what it changes: that is no reason not to make it. */
export async function readEvidence<State>(read: () => Promise<State>): Promise<Shown<State>> {
  try {
    return { state: await read() };
  } catch (error) {
    if (isRefusal(error)) return { refusal: error };
    throw error;
  }
}

/** Says that a change was accepted, and that nothing shows it. */
export function warnUnconfirmed({ progress }: Pick<Context, 'progress'>, what: string, refusal: GantryError): void {
  const message = `the platform accepted the change, but does not show whether ${what}`;
  progress.warn({ severity: 'warning', message, why: refusal.message });
}

/** The refusal of a look that was allowed before the change: a failure, as the change may have had no effect. */
export function unconfirmedError<E extends GantryError>(what: string, refusal: E): E {
  refusal.message = `could not confirm that ${what}: ${refusal.message}`;
  return refusal;
}

/** Repeats a request about what this command has just created until the platform knows it, for `maxMs` at most. */
export async function untilKnown<T>(
  request: () => Promise<T>,
  delay: Context['delay'],
  maxMs = unknownMs,
  is = isTooEarly,
): Promise<T> {
  let waitedMs = 0;
  for (let pauseMs = 250; ; pauseMs = Math.min(1_000, pauseMs * 2)) {
    try {
      return await request();
    } catch (error) {
      if (waitedMs >= maxMs || !is(error, waitedMs)) throw error;
    }
    await delay(pauseMs);
    waitedMs += pauseMs;
  }
}

/** What another command has just created may be shown that late, in ms. */
export const shownLateMs = 5_000;

/** {@link untilKnown}, of what another command may have created: no run has another id than a UUID. Shows that it waits. */
export async function untilShown<T>(
  request: () => Promise<T>,
  { delay, progress }: Pick<Context, 'delay' | 'progress'>,
  { kind, id }: { kind?: string; id: string },
): Promise<T> {
  if (kind === 'run' && !mayBeRunId(id)) return request();
  let step: ReturnType<typeof progress.step> | undefined;
  const isLate = (error: unknown): error is NotFoundError => {
    if (!(error instanceof NotFoundError)) return false;
    step ??= progress.step('Waiting until the platform shows it');
    return true;
  };
  try {
    return await untilKnown(request, delay, shownLateMs, isLate);
  } finally {
    step?.clear();
  }
}

/** {@link untilKnown}, for some seconds, for what a command can do without. Returns undefined on failure. */
export function tryUntilKnown<T>(
  context: Pick<Context, 'apiWithSignal' | 'signal' | 'delay'>,
  request: (api: Context['api']) => Promise<T>,
): Promise<T | undefined> {
  return tryRequest(context, (api) => untilKnown(() => request(api), context.delay, 3_750));
}

const defaultPausesMs = [250, 500, 1_000, 2_000, 3_000, 3_000];

/** Reads for about ten seconds and returns the last state. Retries while the platform is unavailable. */
export async function waitForChange<State>(
  read: () => Promise<State>,
  isChanged: (state: State) => boolean,
  delay: Context['delay'],
  pausesMs: readonly number[] = defaultPausesMs,
): Promise<State> {
  for (let reads = 0; ; reads++) {
    const pause = pausesMs[reads];
    try {
      const state = await read();
      if (isChanged(state) || pause === undefined) return state;
    } catch (error) {
      if (pause === undefined || !(error instanceof UnavailableError)) throw error;
    }
    await delay(pause);
  }
}
