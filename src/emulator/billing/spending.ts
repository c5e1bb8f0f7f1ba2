import type { Platform } from '../platform.ts';
import { runsOf } from '../runs/find.ts';
import { replicasThrough } from '../runs/replicas.ts';
import { readRun } from '../runs/run-status.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';
import type { Range } from '../time.ts';
import { pricesOf } from './prices.ts';

/** This month's cost, in US dollars, and requests (spec 2.5, wire §0). A month is one of UTC. */
export function monthOf(app: AppRecord, platform: Platform) {
  const range = { start: startOfMonth(platform.now()), end: platform.now() };
  const runs = runsOf(app, range, platform.store);
  const seconds = secondsUp(app, runs, range.end, platform);
  const prices = pricesOf(app.settings);
  const dollars = (centsPerSecond: number) => round((seconds * centsPerSecond) / 100);
  const statuses = runs.map((run) => readRun(run, platform.now()).status);
  return {
    cost_metrics: {
      ...{ cpu_cost: dollars(prices.cpu), gpu_cost: dollars(prices.gpu), memory_cost: dollars(prices.memory) },
      total_cost: dollars(prices.cpu + prices.gpu + prices.memory),
    },
    request_metrics: {
      successful: statuses.filter((status) => status === 'success').length,
      errored: statuses.filter((status) => status === 'failure').length,
      total: statuses.length,
    },
  };
}

/** How many seconds replicas were up for the runs of a range, starts and cooldowns included: what is paid for. */
export function paidSeconds(app: AppRecord, range: Range, platform: Platform): number {
  return secondsUp(app, runsOf(app, range, platform.store), range.end, platform);
}

function secondsUp(app: AppRecord, runs: readonly RunRecord[], end: number, platform: Platform): number {
  const until = Math.min(end, platform.now());
  return replicasThrough(app, runs, platform)
    .map(({ bornAt, endsAt }) => Math.max(0, Math.min(endsAt, until) - bornAt) / 1000)
    .reduce((sum, seconds) => sum + seconds, 0);
}

function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function round(dollars: number): number {
  return Math.round(dollars * 10_000) / 10_000;
}
