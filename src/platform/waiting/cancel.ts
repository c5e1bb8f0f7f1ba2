import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import {
  ConflictError,
  DeniedError,
  FailedError,
  GantryError,
  NotFoundError,
  PendingError,
} from '../../kernel/errors.ts';
import type { Api } from '../api/client.ts';
import type { Context } from '../context.ts';
import { isCanceled } from '../contract/builds.ts';
import { cleanupSignal } from './deadline.ts';
import {
  isRefusal,
  readEvidence,
  type Shown,
  unconfirmedError,
  untilKnown,
  untilShown,
  waitForChange,
  warnUnconfirmed,
} from './refusals.ts';

export interface RemoteWork {
  kind: 'build' | 'run';
  app: string;
  id: string;
  readStatus: (api: Api) => Promise<{ status: string; hasEnded: boolean }>;
  /** Whether the list of the app's builds or latest runs has it. */
  isListed: (api: Api) => Promise<boolean>;
  cancel: (api: Api) => Promise<unknown>;
}

type ReadStatus = () => Promise<string>;

/** Pauses between polls after Ctrl-C, in ms, and all of them. */
const shortPausesMs = [250, 500, 1_000, 2_000];
const shortPatienceMs = 3_750;

/**
 * Cancels a build or a run after `confirm` and waits until its status shows it. Throws ConflictError if it ended in
 * another way, PendingError if its status does not change although the platform confirmed the cancellation. Warns if the
 * platform shows its status neither before nor after: then it is not `confirmed`.
 */
export async function cancelRemoteWork(
  context: Pick<Context, 'api' | 'delay' | 'progress'>,
  work: RemoteWork,
  confirm: () => Promise<void>,
) {
  const { api, delay } = context;
  const unchanged = { changed: false, confirmed: true };
  const before = await untilShown(() => readBefore(work, api), context, work);
  if ('state' in before && isCanceled(before.state)) return unchanged;
  await confirm();
  const read = () => readStatus(work, api);
  if (!(await cancelUnlessCanceled(work, api, read))) return unchanged;
  const after = await readEvidence(() => waitUntilCanceled(work, read, delay));
  if ('refusal' in after) {
    if ('state' in before) throw unconfirmed(after.refusal, work);
    warnUnconfirmed(context, `${nameOf(work)} of ${work.app} is canceled`, after.refusal);
    return { changed: true, confirmed: false };
  }
  const status = after.state;
  if (isCanceled(status)) return { changed: true, confirmed: true };
  throw new PendingError(`${nameOf(work)} of ${work.app} is not canceled yet: its status is ${status}`, {
    why: 'the platform confirmed the cancellation, but its status does not show it',
    fix: commandFor('follow', work),
    details: { ...detailsOf(work), status },
  });
}

/** A 404 may be about the work, or about looking at it: the list decides, if there is one. */
async function readBefore(work: RemoteWork, api: Api): Promise<Shown<string>> {
  const evidence = await readEvidence(() => readStatus(work, api));
  if ('state' in evidence || !(evidence.refusal instanceof NotFoundError)) return evidence;
  const listed = await readEvidence(() => work.isListed(api));
  if ('state' in listed && !listed.state) throw evidence.refusal;
  return evidence;
}

/** A failure is only a warning: it must not hide the command's error. Returns the last known status. */
export async function cancelAbandoned(
  { apiWithSignal, delay, progress }: Pick<Context, 'apiWithSignal' | 'delay' | 'progress'>,
  work: RemoteWork,
): Promise<string> {
  const signal = cleanupSignal();
  const api = apiWithSignal(signal);
  let isConfirmed = false;
  let status = 'unknown';
  try {
    const wait = (ms: number) => delay(ms, signal);
    const read = () => untilKnown(() => readStatus(work, api), wait, shortPatienceMs);
    const isNew = await untilKnown(() => cancelUnlessCanceled(work, api, read), wait, shortPatienceMs);
    isConfirmed = true;
    status = isNew ? await waitUntilCanceled(work, read, wait, shortPausesMs) : 'canceled';
    if (isCanceled(status)) {
      progress.note(`canceled ${nameOf(work)}`);
      return 'canceled';
    }
    throw new PendingError(`its status is still ${status}`);
  } catch (error) {
    if (error instanceof AlreadyEndedError) {
      progress.warn({ severity: 'warning', message: error.message, fix: commandFor('get', work) });
      return error.status;
    }
    const reason = error instanceof GantryError ? error.message : 'no reply in time';
    const problem = isConfirmed ? 'may not be canceled' : 'could not be canceled';
    progress.warn({
      severity: 'warning',
      message: `${nameOf(work)} ${problem}: ${reason}`,
      fix: commandFor('cancel', work),
    });
    return status;
  }
}

/** Returns false if the platform refused because the work was canceled already. */
async function cancelUnlessCanceled(work: RemoteWork, api: Api, read: ReadStatus): Promise<boolean> {
  try {
    await work.cancel(api);
    return true;
  } catch (error) {
    if (![ConflictError, FailedError, NotFoundError].some((kind) => error instanceof kind)) throw error;
    // It may have ended meanwhile, or an earlier attempt succeeded and only its reply was lost.
    const now = await readEvidence(read);
    if ('state' in now && isCanceled(now.state)) return false;
    throw error;
  }
}

/** Returns "canceled", or the last status seen. A 404 does not prove that the work has stopped. */
async function waitUntilCanceled(
  work: RemoteWork,
  read: ReadStatus,
  delay: Context['delay'],
  pausesMs?: readonly number[],
): Promise<string> {
  try {
    return await waitForChange(read, isCanceled, delay, pausesMs);
  } catch (error) {
    throw isRefusal(error) ? error : unconfirmed(error, work);
  }
}

/** The work ended in another way than by being canceled; other conflicts are replies of the platform. */
class AlreadyEndedError extends ConflictError {
  constructor(
    work: RemoteWork,
    readonly status: string,
  ) {
    super(`${nameOf(work)} of ${work.app} has already ended: ${status}`, {
      fix: commandFor('get', work),
      details: { ...detailsOf(work), status },
    });
  }
}

async function readStatus(work: RemoteWork, api: Api): Promise<string> {
  const { status, hasEnded } = await work.readStatus(api);
  if (!hasEnded || isCanceled(status)) return status;
  throw new AlreadyEndedError(work, status);
}

function unconfirmed(error: unknown, work: RemoteWork): unknown {
  if (error instanceof ConflictError || !(error instanceof GantryError)) return error;
  unconfirmedError(`${nameOf(work)} of ${work.app} is canceled`, error);
  if (!(error instanceof DeniedError)) error.facts.fix ??= commandFor('follow', work);
  error.facts.details ??= detailsOf(work);
  return error;
}

function nameOf({ kind, id }: RemoteWork): string {
  return `${kind} ${id}`;
}

function commandFor(action: 'get' | 'follow' | 'cancel', { kind, app, id }: RemoteWork): CommandLine {
  return action === 'follow'
    ? gantryCommand`logs ${app} ${{ [`--${kind}`]: id }} -f`
    : gantryCommand`${kind}s ${action} ${app} ${id}`;
}

function detailsOf({ kind, app, id }: RemoteWork): Record<string, unknown> {
  return { app, [kind]: id };
}
