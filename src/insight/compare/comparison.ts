import type { FileChanges } from '../../deploys/builds/index.ts';
import type { Figure } from '../cost/index.ts';

/** Two builds of an app, by their calls. Null is what is not known. */
export interface Comparison {
  app: string;
  verdict: BuildVerdict;
  before: BuildCalls;
  after: BuildCalls;
  /** Hours of the day, in UTC, in which both builds had calls: those of others do not count. Null: there are none, so all count. */
  hours: number[] | null;
  files: FileChanges | null;
  settings: ChangedSetting[] | null;
  runTime: Durations;
  coldStart: Durations;
  errors: { verdict: BuildVerdict; before: number | null; after: number | null; chance: number | null };
  /** Calls that the platform announced and did not return; null if it did not say how many. */
  missing: number | null;
  /** Calls while the later build was deployed, of which it is not known whose they are. */
  unattributed: number;
  figures: Figure[] | null;
}

export const buildVerdicts = ['worse', 'better', 'no difference', 'too few calls'] as const;
export type BuildVerdict = (typeof buildVerdicts)[number];

export interface BuildCalls {
  build: string;
  /** RFC 3339, UTC. */
  since: string;
  until: string;
  calls: number;
  failed: number;
  coldStarts: number;
}

/** A key of cerebrium.toml. */
export interface ChangedSetting {
  setting: string;
  from: unknown;
  to: unknown;
}

/** In ms. */
export interface Durations {
  verdict: BuildVerdict;
  before: Quantiles;
  after: Quantiles;
  /** Of the typical duration of a function: 0.2 is 20 % slower. */
  changeShare: number | null;
  chance: number | null;
}

export interface Quantiles {
  p50Ms: number | null;
  p90Ms: number | null;
  p99Ms: number | null;
  /** The 5th, 10th, … 95th percentile and the 99th, for the chart. */
  curve: number[];
}
