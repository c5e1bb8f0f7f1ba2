import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { ConflictError, DeniedError, FailedError, GantryError, NotFoundError, PendingError } from '../../errors.ts';
import { graceSignal } from './grace-period.ts';
import { lookUntil } from './wait-for-change.ts';

/** A build or a run to cancel. */
export interface Cancellable {
  /** In the user's words: `build b-1`. */
  name: string;
  app: string;
  /** The command that follows it. */
  follow: string;
  /** The command that cancels it. */
  cancelAgain: string;
  details: Record<string, unknown>;
  /** Its status. Throws ConflictError if it ended in another way than by being cancelled. */
  look: (api: Api) => Promise<string>;
  /** Gives the platform's answer. */
  cancel: (api: Api) => Promise<string>;
}

export interface Cancellation {
  /** The platform's answer if it is one line of plain text, otherwise empty. */
  message: string;
  /** False if it was cancelled already. */
  changed: boolean;
}

/** Pauses between looks after Ctrl-C, in milliseconds. */
const shortPausesMs = [250, 500, 1_000, 2_000];

/**
 * Cancels a build or a run once `agreed` has not thrown, and waits until its status says so. It may end by itself at any
 * moment. Throws PendingError if it goes on although the platform confirmed the cancellation.
 */
export async function stop(
  context: Pick<Context, 'api' | 'delay'>,
  it: Cancellable,
  agreed: () => Promise<void>,
): Promise<Cancellation> {
  const { api, delay } = context;
  const unchanged = { message: '', changed: false };
  if (isCancelled(await it.look(api))) return unchanged;
  await agreed();
  const answer = await cancelOrFindCancelled(it, api);
  if (answer === undefined) return unchanged;
  const status = await statusAfter(it, api, delay);
  if (isCancelled(status)) return { message: plainLine(answer), changed: true };
  throw new PendingError(`${it.name} of ${it.app} is not cancelled yet: its status is ${status}`, {
    why: 'the platform confirmed the cancellation, but its status does not show it',
    fix: it.follow,
    details: { ...it.details, status },
  });
}

/**
 * Cancels what was begun for a command that is ending, in a few seconds. Never hides the error it follows: what cannot be
 * cancelled is a warning. Gives whether it is known to be cancelled.
 */
export async function stopAbandoned(
  { apiUntil, delay, progress }: Pick<Context, 'apiUntil' | 'delay' | 'progress'>,
  it: Cancellable,
): Promise<boolean> {
  const until = graceSignal();
  const api = apiUntil(until);
  let isConfirmed = false;
  try {
    const answer = await cancelOrFindCancelled(it, api);
    isConfirmed = true;
    const wait = (ms: number) => delay(ms, until);
    const status = answer === undefined ? 'cancelled' : await statusAfter(it, api, wait, shortPausesMs);
    if (isCancelled(status)) {
      progress.note(`Cancelled ${it.name}`);
      return true;
    }
    throw new PendingError(`its status is still ${status}`);
  } catch (error) {
    const reason = error instanceof GantryError ? error.message : 'no answer in time';
    const problem = isConfirmed ? 'may not be cancelled' : 'could not be cancelled';
    progress.warn({ severity: 'warning', message: `${it.name} ${problem}: ${reason}`, fix: it.cancelAgain });
    return false;
  }
}

/** The platform's answer; undefined if it refused because the build or run was cancelled already. */
async function cancelOrFindCancelled(it: Cancellable, api: Api): Promise<string | undefined> {
  try {
    return await it.cancel(api);
  } catch (error) {
    if (![ConflictError, FailedError, NotFoundError].some((kind) => error instanceof kind)) throw error;
    // It may have ended meanwhile, or by the first try of a call whose answer was lost.
    if (isCancelled(await it.look(api))) return undefined;
    throw error;
  }
}

/** The status once it says "cancelled", or after the last pause. What is gone altogether counts as cancelled. */
async function statusAfter(
  it: Cancellable,
  api: Api,
  delay: Context['delay'],
  pausesMs?: readonly number[],
): Promise<string> {
  try {
    return await lookUntil(() => it.look(api), isCancelled, delay, pausesMs);
  } catch (error) {
    if (error instanceof NotFoundError) return 'cancelled';
    throw unconfirmed(error, it);
  }
}

function isCancelled(status: string): boolean {
  return /^cancell?ed$/i.test(status);
}

function unconfirmed(error: unknown, { name, app, follow, details }: Cancellable): unknown {
  if (error instanceof ConflictError || !(error instanceof GantryError)) return error;
  error.message = `the cancellation of ${name} of ${app} could not be confirmed: ${error.message}`;
  if (!(error instanceof DeniedError)) error.facts.fix ??= follow;
  error.facts.details ??= details;
  return error;
}

/** What a proxy says in the platform's place is not shown as its confirmation. */
function plainLine(answer: string): string {
  const text = answer.trim();
  return text.length <= 200 && !/[\r\n<>{}]/.test(text) ? text : '';
}
