import type { Replaced } from './replaced.ts';
import type { SlotProblem } from './replica-slots.ts';

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

export function doubt(problem: SlotProblem | undefined): Finding | undefined {
  return problem && { verdict: 'unknown', ...problem };
}
