import { count } from '../../output/format.ts';
import type { ErrorCount } from '../difference/index.ts';
import type { Replaced } from './replaced.ts';

/** Counts of what was looked at; null where the platform did not list it. */
export interface Observed {
  replicas: number | null;
  restarts: number | null;
  runs: number | null;
  failedRuns: number | null;
}

/** Why a build is not healthy, and the replica that shows it. */
export interface Finding extends Partial<Pick<Replaced, 'shows'>> {
  verdict: 'sick' | 'unknown' | 'superseded';
  reason: string;
  container?: string | undefined;
}

export interface SlotProblem {
  reason: string;
  container?: string | undefined;
}

export function doubt(problem: SlotProblem | undefined): Finding | undefined {
  return problem && { verdict: 'unknown', ...problem };
}

export function ratesText(now: ErrorCount, before: ErrorCount): string {
  const earlier = before.calls === 0 ? 'none before to compare with' : `${before.failed} of ${before.calls} before`;
  return `${now.failed} of ${count(now.calls, 'call')} failed, ${earlier}`;
}
