/** A run as it is. Times in ms since 1970. */
export interface WorldRun {
  id: string;
  createdAt: number;
  /** When it appears in lists. */
  visibleAt: number;
  endsAt: number;
  deletedAt: number;
  coldstartMs: number;
  queueMs: number;
  runtimeMs: number;
  code: number;
  pod: string;
  place?: number;
}

/** How the platform lists runs. */
export interface Manners {
  order: 'newest first' | 'oldest first' | 'any';
  /** The longest page. */
  pageCap: number;
  hasTotal: boolean;
  hasToken: boolean;
  /** A page has one of its items twice. */
  repeats: boolean;
  /** A run on the end of a range is not in it. */
  excludesEnd: boolean;
  /** A field that is always null. */
  lacks: string | undefined;
  ignoresRange?: boolean;
  /** Runs that are counted and not returned. */
  loses?: (id: string) => boolean;
}

export interface Query {
  startTime?: string;
  endTime?: string;
  limit?: number;
  offset?: number;
  nextToken?: string;
}

/** How an app is called and billed. Times in ms since 1970, the cooldown in seconds. */
export interface AppPlan {
  name: string;
  settings: { minReplicas: number; maxReplicas: number; cooldownSeconds: number };
  /** Ascending. */
  arrivals: number[];
  runtimeOf: (call: number) => number;
  coldStartMs: number;
  centsPerSecond: number;
  from: number;
  to: number;
}

export interface BilledApp extends Pick<AppPlan, 'name' | 'settings' | 'centsPerSecond'> {
  runs: { id: string; createdAt: number; pod: string; coldStartMs: number; queueMs: number; runtimeMs: number }[];
  /** By date. */
  cents: Map<string, number>;
  total: number;
  /** That replicas lived. */
  seconds: number;
}

/** How an app is called, and how its replicas behave. The cooldown is in seconds. */
export interface TrafficShape {
  name: string;
  /** In any order. */
  arrivals: number[];
  runtimeOf: () => number;
  startMs: () => number;
  settings: { minReplicas: number; maxReplicas: number; cooldownSeconds: number; concurrency: number };
  balancing: 'first' | 'round-robin' | 'least-busy';
  /** Whether a call waits for the replica that was started for it, even if another one is free before. */
  bindsStarts: boolean;
}

export interface TrafficPlan extends Pick<TrafficShape, 'settings' | 'startMs' | 'balancing' | 'bindsStarts'> {
  /** Ascending. */
  arrivals: { at: number; runtimeMs: number }[];
  from: number;
  to: number;
}

export interface PlayedCall {
  at: number;
  runtimeMs: number;
  coldStartMs: number;
  queueMs: number;
  replica: string;
}
