import type { Figure } from '../cost/index.ts';

/** What other settings would have meant for the calls of an app. Null is what is not known. */
export interface Advice {
  app: string;
  /** RFC 3339, UTC: the calls that were replayed. */
  since: string;
  until: string;
  calls: number;
  verdict: AdviceVerdict;
  /** Why there is no advice, or a part of it; empty if there is all. */
  reason: string;
  /** Of the prediction of the past; null if nothing was predicted. */
  predictionError: AdviceError | null;
  /** What is and can be; the settings of now are the first. Empty without advice. */
  options: TunedOption[];
  /** Of all that were tried, those than which none is both cheaper and faster, the cheapest first. */
  frontier: Outcome[];
  /** How many were tried. */
  tried: number;
  assumptions: string[];
  /** What was written to the config file; null if nothing was to be written. */
  written: WrittenSetting[] | null;
  figures: Figure[] | null;
}

/** A key of cerebrium.toml, such as `scaling.cooldown`. */
export interface WrittenSetting {
  setting: string;
  to: number;
}

export const adviceVerdicts = ['advice', 'not enough runs', 'not predictable'] as const;
export type AdviceVerdict = (typeof adviceVerdicts)[number];

/** Each day was predicted from the others. Shares: 0.04 is 4 % too high; null if not known. */
export interface AdviceError {
  coldStartsShare: number | null;
  p90Share: number | null;
  costShare: number | null;
  days: number;
}

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
