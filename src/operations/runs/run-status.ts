import { type Run, runPhase } from '../../contract/runs.ts';
import { stringifyJson } from '../../json-text.ts';

/** The status of a run: the platform's word, or else the meaning of its status code (docs/platform.md#runs). */
export function runStatus({ status, statusCode }: Run): string {
  if (status) return knownState(status);
  if (statusCode === null || statusCode === undefined) return '';
  if (statusCode === 0) return 'cancelled';
  if (statusCode === -1) return 'closed';
  return statusCode >= 200 && statusCode < 300 ? 'success' : 'failure';
}

/** Words that are compared have one spelling here. */
function knownState(status: string): string {
  const word = status.toLowerCase();
  if (word === 'fail' || word === 'failed') return 'failure';
  return ['success', 'failure', 'cancelled', 'closed'].includes(word) ? word : status;
}

/** The platform's own word for where a run stands; where it tells none, what the status code means. */
export function displayStatus(run: Run): string {
  return run.status || runStatus(run);
}

/** The run with the status that is shown of it: where the platform tells none it is not empty in JSON either. */
export function fillStatus(run: Run): Run {
  return run.status ? run : { ...run, status: runStatus(run) || null };
}

/** Whether nothing more will happen to a run. */
export function hasEnded(run: Run): boolean {
  const state = runStatus(run);
  return state === 'closed' || runPhase(state) !== 'in progress';
}

/** What tells one run from another: its id, or all of it where the platform gives none. */
export function runKey(run: Run): string {
  return run.id || stringifyJson(run);
}
