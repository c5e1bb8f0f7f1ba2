import type { ProjectCost } from '../../platform/contract/billing.ts';
import type { Waste } from './find-waste.ts';

/** What an app cost, and what for. Null is what nobody has told: no price list is documented. */
export interface AppCostReport {
  app: string;
  /** US cents, as the platform counts them. */
  costCents: number | null;
  /** Of one replica. */
  centsPerSecond: number | null;
  replicaSeconds: number | null;
  busySeconds: number | null;
  idleSeconds: number | null;
  idleCents: number | null;
  calls: number;
  coldStarts: number;
  /** The median. */
  coldStartMs: number | null;
  lastCallAt: string | null;
  days: DayCost[];
  waste: Waste | null;
}

/** One day, in UTC. */
export interface DayCost {
  date: string;
  costCents: number | null;
  calls: number;
  coldStarts: number;
  busySeconds: number;
}

export interface CostReport {
  project: string;
  /** First and last day. */
  since: string;
  until: string;
  apps: AppCostReport[];
  /** Of the apps whose cost is known; null if none is. */
  totalCents: number | null;
  /** Apps whose cost is not known. */
  unknown: string[];
  summary: ProjectCost['summary'] | null;
  coupons: ProjectCost['coupons'] | null;
  figures: Figure[] | null;
}

export interface Figure {
  app: string;
  figure: string;
  value: number | null;
  unit: 'US cents' | 'US cents per second' | 'seconds' | 'calls' | 'ms' | 'share';
  endpoints: string[];
  how: string;
}
