import type { Model } from '../model.ts';
import { findRuns } from '../runs/find-runs.ts';
import { deriveReplicas } from '../runs/replica-periods.ts';
import { getRunProgress } from '../runs/run-progress.ts';
import type { AppRecord, RunRecord, Traffic } from '../state/records.ts';
import { settingsAt } from '../state/settings-history.ts';
import { day } from '../time.ts';
import { pricesPerSecond } from './prices.ts';

/** What the replicas of an app cost that started in a period, and its requests. */
export interface Spending {
  /** US cents. */
  cents: { cpu: number; gpu: number; memory: number };
  gpuSeconds: number;
  requests: { successful: number; errored: number; total: number };
}

/** The current month's cost in US dollars and its requests (spec 2.5). The month is in UTC. */
export function monthlyUsage(app: AppRecord, model: Model) {
  const { cents, requests } = spendingSince(app, startOfMonth(model.now()), model);
  const dollars = (amount: number) => Math.round(amount * 100) / 10_000;
  return {
    cost_metrics: {
      cpu_cost: dollars(cents.cpu),
      gpu_cost: dollars(cents.gpu),
      memory_cost: dollars(cents.memory),
      total_cost: dollars(totalCents(cents)),
    },
    request_metrics: requests,
  };
}

export function totalCents({ cpu, gpu, memory }: Spending['cents']): number {
  return cpu + gpu + memory;
}

export function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** From a midnight in UTC up to now. */
export function spendingSince(app: AppRecord, start: number, model: Model): Spending {
  return spendingByDay(app, start, model).reduce((sum, { spending }) => addSpending(sum, spending), nothing);
}

/** Each day in UTC, from the one of `start` up to today. A replica counts to the day of its start. */
export function spendingByDay(app: AppRecord, start: number, model: Model): { start: number; spending: Spending }[] {
  const recorded = new Set(
    [...model.store.runs.values()].filter((run) => run.app === app.id).map(({ createdAt }) => startOfDay(createdAt)),
  );
  const days: { start: number; spending: Spending }[] = [];
  for (let at = startOfDay(start); at <= model.now(); at += day) {
    const read = () => readDay(app, at, model);
    // Recorded runs can change; generated ones of the past cannot.
    const known = app.traffic && !recorded.has(at) ? keptDay(app, app.traffic, at, read) : read();
    days.push({ start: at, spending: known.spending });
  }
  return days;
}

function startOfDay(time: number): number {
  return Math.floor(time / day) * day;
}

interface DaySpending {
  spending: Spending;
  /** Whether all of its runs and replicas have ended. */
  isFinal: boolean;
}

/** Adding up a month of generated runs takes as long as everything else in a list of apps. */
const finalDays = new WeakMap<Traffic, Map<string, DaySpending>>();

function keptDay(app: AppRecord, traffic: Traffic, start: number, read: () => DaySpending): DaySpending {
  const days = finalDays.get(traffic) ?? new Map<string, DaySpending>();
  finalDays.set(traffic, days);
  const key = `${app.id}/${start}`;
  const known = days.get(key) ?? read();
  if (known.isFinal) days.set(key, known);
  return known;
}

function readDay(app: AppRecord, start: number, model: Model): DaySpending {
  const now = model.now();
  const end = start + day - 1;
  const runs = findRuns(app, { start, end: Math.min(end, now) }, model.store);
  const replicas = deriveReplicas(app, runs, model);
  const spending = replicas.reduce((sum, { startedAt, endsAt }) => {
    const settings = settingsAt(app, startedAt);
    const seconds = Math.max(0, Math.min(endsAt, now) - startedAt) / 1000;
    const prices = pricesPerSecond(settings);
    return addSpending(sum, {
      cents: { cpu: prices.cpu * seconds, gpu: prices.gpu * seconds, memory: prices.memory * seconds },
      gpuSeconds: seconds * settings.gpuCount,
      requests: nothing.requests,
    });
  }, nothing);
  const isFinal = end < now && replicas.every(({ endsAt }) => endsAt <= now);
  return { spending: { ...spending, requests: countRequests(runs, now) }, isFinal };
}

function countRequests(runs: readonly RunRecord[], now: number): Spending['requests'] {
  const requests = { successful: 0, errored: 0, total: runs.length };
  for (const run of runs) {
    const { status } = getRunProgress(run, now);
    if (status === 'success') requests.successful += 1;
    if (status === 'failure') requests.errored += 1;
  }
  return requests;
}

const nothing: Spending = {
  cents: { cpu: 0, gpu: 0, memory: 0 },
  gpuSeconds: 0,
  requests: { successful: 0, errored: 0, total: 0 },
};

function addSpending(one: Spending, other: Spending): Spending {
  return {
    cents: {
      cpu: one.cents.cpu + other.cents.cpu,
      gpu: one.cents.gpu + other.cents.gpu,
      memory: one.cents.memory + other.cents.memory,
    },
    gpuSeconds: one.gpuSeconds + other.gpuSeconds,
    requests: {
      successful: one.requests.successful + other.requests.successful,
      errored: one.requests.errored + other.requests.errored,
      total: one.requests.total + other.requests.total,
    },
  };
}
