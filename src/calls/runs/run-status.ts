import { stringifyJson } from '../../kernel/json-text.ts';
import { outcomeWords, runOutcome } from '../../platform/contract/run-outcome.ts';
import type { Run } from '../../platform/contract/runs.ts';

/** What a run came to, in one word. The platform's own one, while it is in progress; empty if nothing is known. */
export function runStatus(run: Run): string {
  const outcome = runOutcome(run);
  if (outcome === 'in progress') return run.status ?? '';
  if (outcome === 'unknown') return String(run.statusCode);
  return outcome === 'closed' ? outcome : outcomeWords[outcome];
}

/**
 * The status as the platform returned it, unless its code says otherwise. Single runs of a chart have no status, and a
 * status code only when they have ended (spec 2.6).
 */
export function displayStatus(run: Run): string {
  const read = runStatus(run);
  return run.status && runStatus({ ...run, statusCode: undefined }) === read ? run.status : read || 'in progress';
}

/** The run with the status that a list shows, for JSON output. */
export function fillStatus(run: Run): Omit<Run, 'status'> & { status?: string | null | undefined } {
  return { ...run, status: runStatus(run) ? displayStatus(run) : null };
}

export function hasEnded(run: Run): boolean {
  return runOutcome(run) !== 'in progress';
}

export function hasSucceeded(run: Run): boolean {
  return runOutcome(run) === 'succeeded';
}

/** What a user canceled or closed has not failed. */
export function runHasFailed(run: Run): boolean {
  return runOutcome(run).startsWith('failed');
}

/** Identifies a run: its id, or all of its content if it has none. */
export function runKey(run: Run): string {
  return run.id || stringifyJson(run);
}
