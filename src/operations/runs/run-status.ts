import { type Run, runPhase } from '../../contract/runs.ts';
import { stringifyJson } from '../../json-text.ts';

/** The status of a run, in a known spelling. If the platform returns none, derived from the status code. */
export function runStatus({ status, statusCode }: Run): string {
  if (status) return normalizeStatus(status);
  if (statusCode === null || statusCode === undefined) return '';
  if (statusCode === 0) return 'cancelled';
  if (statusCode === -1) return 'closed';
  // 101 is a WebSocket that was closed properly.
  return statusCode === 101 || (statusCode >= 200 && statusCode < 300) ? 'success' : 'failure';
}

function normalizeStatus(status: string): string {
  const word = status.toLowerCase();
  if (word === 'fail' || word === 'failed') return 'failure';
  if (word === 'canceled') return 'cancelled';
  return ['success', 'failure', 'cancelled', 'closed'].includes(word) ? word : status;
}

/**
 * The status as the platform returned it, otherwise derived from the status code. Single runs of a chart have no status,
 * and a status code only when they have ended (spec 2.6).
 */
export function displayStatus(run: Run): string {
  return run.status || runStatus(run) || 'in progress';
}

/** The run with a status, also if the platform returned none, for JSON output. */
export function fillStatus(run: Run): Omit<Run, 'status'> & { status?: string | null | undefined } {
  return run.status ? run : { ...run, status: runStatus(run) || null };
}

export function hasEnded(run: Run): boolean {
  const status = runStatus(run);
  return status === 'closed' || runPhase(status) !== 'in progress';
}

/** What a user canceled has not failed. */
export function runHasFailed(run: Run): boolean {
  const status = runStatus(run);
  return runPhase(status) === 'failed' && status !== 'cancelled';
}

/** Identifies a run: its id, or all of its content if it has none. */
export function runKey(run: Run): string {
  return run.id || stringifyJson(run);
}
