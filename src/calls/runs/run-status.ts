import { stringifyJson } from '../../kernel/json-text.ts';
import { outcomeWords, type RunFacts, runOutcome } from '../../platform/contract/run-outcome.ts';
import type { Run } from '../../platform/contract/runs.ts';

/** What a run came to, in gantry's word; before it began, the platform's. Empty if nothing is known. */
export function runStatus(run: RunFacts): string {
  const outcome = runOutcome(run);
  if (outcome === 'in progress') return run.status === 'processing' ? outcome : (run.status ?? '');
  if (outcome === 'unknown') return String(run.statusCode);
  return outcome === 'failed by the caller' ? 'failed' : outcome;
}

/**
 * For JSON output: the status in the platform's words, its code before its status. Single runs of a chart have no status, and a
 * status code only when they have ended (spec 2.6).
 */
function displayStatus(run: RunFacts): string {
  const read = runStatus(run);
  if (run.status && runStatus({ ...run, statusCode: undefined }) === read) return run.status;
  const outcome = runOutcome(run);
  if (outcome === 'in progress') return read || outcome;
  return outcome === 'unknown' || outcome === 'closed' ? read : outcomeWords[outcome];
}

/** A run for JSON output: the platform's fields, its word for the status also where it sent only a code, and gantry's word. */
export function runDocument<Shown extends RunFacts>(run: Shown) {
  const status = runStatus(run);
  return { ...run, status: status ? displayStatus(run) : null, outcome: status || 'in progress' };
}

/** Not in the specification, but used if the platform returns it. */
export function readExitCode(run: Run): number | null {
  const code = (run as { exitCode?: unknown }).exitCode;
  return typeof code === 'number' && Number.isInteger(code) && code >= 0 && code <= 255 ? code : null;
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
