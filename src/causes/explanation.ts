/** Why something failed, as far as a rule knows. */
export interface Explanation {
  /** The id of the cause: programs compare it. */
  cause: string;
  title: string;
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
