import type { Model } from '../model.ts';
import { deriveReplicas, readySince } from '../runs/replica-periods.ts';
import type { AppRecord, BilledSettings, RunRecord } from '../state/records.ts';
import { settingsAt } from '../state/settings-history.ts';
import type { TimeRange } from '../time.ts';

/** For how long replicas with these settings were paid for, in seconds. */
export interface PaidTime {
  settings: BilledSettings;
  seconds: number;
}

/**
 * What is paid for within a range: the replicas that served these runs, which begin before it, and where those are fewer than
 * `min_replicas`, the rest. Takes runs newest first.
 */
export function paidTimes(app: AppRecord, runs: readonly RunRecord[], range: TimeRange, model: Model): PaidTime[] {
  const served = deriveReplicas(app, runs, model).map(({ startedAt, endsAt }) => ({
    settings: settingsAt(app, startedAt),
    start: Math.max(startedAt, range.start),
    end: Math.min(endsAt, range.end),
  }));
  const within = served.filter(({ start, end }) => start < end);
  const paid = within.map(({ settings, start, end }) => ({ settings, seconds: (end - start) / 1000 }));
  return [...paid, ...keptTimes(app, within, range, model)];
}

/** Nothing is kept before the first build was ready. */
function keptTimes(app: AppRecord, served: readonly TimeRange[], range: TimeRange, model: Model): PaidTime[] {
  const { settings, earlier = [] } = app;
  if ([{ settings }, ...earlier].every((each) => !each.settings.minReplicaCount)) return [];
  const since = Math.max(range.start, readySince(app, model));
  const changes = served.flatMap(({ start, end }) => [
    { at: start, by: 1 },
    { at: end, by: -1 },
  ]);
  const borders = [...changes, ...earlier.map(({ until }) => ({ at: until, by: 0 })), { at: range.end, by: 0 }];
  const kept: PaidTime[] = [];
  let [from, alive] = [since, 0];
  for (const { at, by } of borders.sort((a, b) => a.at - b.at)) {
    const to = Math.min(at, range.end);
    if (to > from) {
      const inForce = settingsAt(app, from);
      const missing = Math.max(0, (inForce.minReplicaCount ?? 0) - alive);
      kept.push({ settings: inForce, seconds: (missing * (to - from)) / 1000 });
      from = to;
    }
    alive += by;
  }
  return kept;
}
