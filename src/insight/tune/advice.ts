export const adviceVerdicts = ['advice', 'not enough runs', 'not predictable'] as const;

/** Values of `[cerebrium.scaling]`. */
export interface ScalingSettings {
  minReplicas: number;
  maxReplicas: number;
  cooldownSeconds: number;
  concurrency: number;
}

export interface Outcome extends ScalingSettings {
  coldStarts: number;
  /** In ms, of what callers waited for. */
  p50Ms: number;
  p90Ms: number;
  p95Ms: number;
  p99Ms: number;
  replicaSeconds: number;
  /** US cents in 30 days; null if the price is not known. */
  centsPerMonth: number | null;
}

export interface TunedOption extends Outcome {
  option: 'now' | 'cheapest' | 'fastest';
  /** `p90 < 6 s`; empty for now. */
  within: string;
  /** The command that sets it; null if there is nothing to set. */
  argv: readonly string[] | null;
  /** A change that `apps scale` cannot make. */
  needsDeploy: boolean;
  /** `20m cooldown: p90 5.4 s, +$279 a month`; empty if it changes nothing. */
  advice: string;
}

/** `p90<6s`. */
export interface ServiceLevel {
  quantile: 'p50' | 'p90' | 'p95' | 'p99';
  ms: number;
}
