import { gantryCommand } from '../../kernel/command-line.ts';
import { AppError, type GantryError, throwUnexpected, UnavailableError } from '../../kernel/errors.ts';
import { size } from '../../kernel/output/format.ts';
import type { ConnectionError } from '../../platform/api/transport.ts';
import type { Context } from '../../platform/context.ts';
import { contextUntil } from '../../platform/waiting/index.ts';
import { followRun } from '../runs/index.ts';
import type { CallTarget } from './call-target.ts';

interface CutResponse {
  target: CallTarget;
  run: string | undefined;
  receivedBytes: number;
  /** Whether the call changes nothing. */
  isSafe: boolean;
}

/** How long the record of the run is waited for, in ms: it says whether the app failed. */
const recordMs = 5_000;

/**
 * The error for a response that ended too soon: that of the run if it failed, else that the response is incomplete. In a file of
 * its own: a call that goes well does not load what follows runs.
 */
export async function cutOffError(
  context: Context,
  { cause, message }: ConnectionError,
  { target: { app, name }, run, receivedBytes, isSafe }: CutResponse,
): Promise<GantryError> {
  const ended = run === undefined ? 'unknown' : await endOfRun(context, app, run);
  const reason = message.replace(/^(cannot connect to \S+|the connection to \S+ failed): /, '');
  const what = `the response of ${name} was cut off after ${size(receivedBytes)}`;
  if (ended instanceof AppError) {
    ended.facts.why ??= what;
    return ended;
  }
  return new UnavailableError(`${what}: ${reason}`, {
    why: ended === 'succeeded' ? `run ${run} succeeded, but its response is incomplete` : 'the response is incomplete',
    fix: gantryCommand`runs list ${app}`,
    // The call may have had effects.
    retryable: isSafe,
    cause,
  });
}

/** The error of a run that has failed; `unknown` where its record does not tell in time. */
async function endOfRun(context: Context, app: string, run: string): Promise<AppError | 'succeeded' | 'unknown'> {
  const { progress, signal } = context;
  const silent = contextUntil(context, signal, { progress: { ...progress, event() {}, note() {}, warn() {} } });
  try {
    await followRun(silent, { app, run, timeoutMs: recordMs });
    return 'succeeded';
  } catch (error) {
    throwUnexpected(error, signal);
    return error instanceof AppError ? error : 'unknown';
  }
}
