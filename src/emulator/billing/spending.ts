import type { Platform } from '../platform.ts';
import { findRuns } from '../runs/find.ts';
import { deriveReplicas } from '../runs/replica-periods.ts';
import { getRunProgress } from '../runs/run-progress.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';
import type { TimeRange } from '../time.ts';
import { pricesPerSecond } from './prices.ts';

/** The current month's cost in US dollars and its requests (spec 2.5). The month is in UTC. */
export function monthlyUsage(app: AppRecord, platform: Platform) {
  const range = { start: startOfMonth(platform.now()), end: platform.now() };
  const runs = findRuns(app, range, platform.store);
  const seconds = secondsRunning(app, runs, range.end, platform);
  const prices = pricesPerSecond(app.settings);
  const dollars = (centsPerSecond: number) => round((seconds * centsPerSecond) / 100);
  const statuses = runs.map((run) => getRunProgress(run, platform.now()).status);
  return {
    cost_metrics: {
      cpu_cost: dollars(prices.cpu),
      gpu_cost: dollars(prices.gpu),
      memory_cost: dollars(prices.memory),
      total_cost: dollars(prices.cpu + prices.gpu + prices.memory),
    },
    request_metrics: {
      successful: statuses.filter((status) => status === 'success').length,
      errored: statuses.filter((status) => status === 'failure').length,
      total: statuses.length,
    },
  };
}

/** Seconds that replicas ran for the runs of a range, including start and cooldown. */
export function billedSeconds(app: AppRecord, range: TimeRange, platform: Platform): number {
  return secondsRunning(app, findRuns(app, range, platform.store), range.end, platform);
}

function secondsRunning(app: AppRecord, runs: readonly RunRecord[], end: number, platform: Platform): number {
  const until = Math.min(end, platform.now());
  return deriveReplicas(app, runs, platform)
    .map(({ startedAt, endsAt }) => Math.max(0, Math.min(endsAt, until) - startedAt) / 1000)
    .reduce((sum, seconds) => sum + seconds, 0);
}

function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function round(dollars: number): number {
  return Math.round(dollars * 10_000) / 10_000;
}
