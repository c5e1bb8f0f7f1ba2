import type { FailureGroup } from './failure-groups.ts';

export interface MapCounts {
  inputs: number;
  /** How many have a result, and how many of these are failures. */
  done: number;
  failed: number;
  /** Results of this command. */
  calls: number;
  /** How often a call was refused and repeated. */
  refused: number;
  durationMs: number;
  failures: FailureGroup[];
  /** What the replicas cost during the command, and until their cooldown has passed, in US cents; null if not known. */
  costCents: number | null;
  /** What ended it before all inputs had a result. */
  stoppedBy: 'budget' | 'failures' | null;
}
