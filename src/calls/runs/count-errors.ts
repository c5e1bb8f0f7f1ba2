import { type RunOutcome, runOutcome } from '../../platform/contract/run-outcome.ts';
import type { ErrorCount } from '../difference.ts';
import type { Call } from './jobs.ts';

/** Calls that ended, and how. A canceled or closed one says nothing about the app, nor does one with an unknown code. */
export function countErrors(calls: readonly Call[]): ErrorCount {
  const errors: ErrorCount = { calls: 0, failed: 0, byCaller: 0 };
  for (const call of calls) addOutcome(errors, runOutcome(call));
  return errors;
}

/** Counts one more call. Returns whether it says something. */
export function addOutcome(errors: ErrorCount, outcome: RunOutcome): boolean {
  const hasFailed = outcome.startsWith('failed');
  if (!hasFailed && outcome !== 'succeeded') return false;
  errors.calls++;
  if (hasFailed) errors.failed++;
  if (outcome === 'failed by the caller') errors.byCaller++;
  return true;
}
