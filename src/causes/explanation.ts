import { cutText } from '../kernel/output/format.ts';
import type { CleanLine } from './log-text.ts';

/** Why something failed, as far as a rule knows. */
export interface Explanation {
  /** The id of the cause: programs compare it. */
  cause: string;
  title: string;
  /** The title names nothing of the app. */
  isGeneral?: boolean | undefined;
  evidence: Evidence;
  fix: string;
  /** The setting to change, as a dotted path. */
  setting?: string | undefined;
  /** The instruction of a Dockerfile that failed, as the log shows it. */
  step?: string | undefined;
  /** The command that helps, without `gantry`. */
  next?: readonly string[] | undefined;
}

export interface Evidence {
  source: 'log' | 'reason' | 'status' | 'exit code';
  /** In the log, from 1; null for another source. */
  line: number | null;
  text: string;
}

/** A line that is searched: of the log, or what the platform says, which has the number 0. */
export interface SearchedLine extends CleanLine {
  source: Evidence['source'];
}

export const evidenceOf = ({ source, number, text }: SearchedLine): Evidence => ({
  source,
  line: number || null,
  text: cutText(text.trim(), 400),
});
