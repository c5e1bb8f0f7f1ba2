import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import { acceleratorFacts } from '../apps/settings.ts';
import { findRuns, getRunProgress } from '../runs/record.ts';
import { replicaPeriods } from '../runs/replica-periods.ts';
import { type AppRecord, type BilledSettings, type RunRecord, settingsAt } from '../state/records.ts';
import type { Model } from '../state/store.ts';
import { day, type TimeRange } from '../time.ts';

/** What the replicas of an app cost in a period, in US cents, and its requests. */
const nothing = { cpu: 0, gpu: 0, memory: 0, gpuSeconds: 0, successful: 0, errored: 0, total: 0 };
type Spending = typeof nothing;

/** The current month's cost in US dollars and its requests (spec 2.5). The month is in UTC. */
export function monthlyUsage(app: AppRecord, model: Model) {
  const { successful, errored, total, ...spent } = spendingOfMonth(app, model);
  const dollars = (amount: number) => Math.round(amount * 100) / 10_000;
  return {
    cost_metrics: {
      cpu_cost: dollars(spent.cpu),
      gpu_cost: dollars(spent.gpu),
      memory_cost: dollars(spent.memory),
      total_cost: dollars(totalCents(spent)),
    },
    request_metrics: { successful, errored, total },
  };
}

export function totalCents({ cpu, gpu, memory }: Pick<Spending, 'cpu' | 'gpu' | 'memory'>): number {
  return cpu + gpu + memory;
}

/** The current month so far. */
export function spendingOfMonth(app: AppRecord, model: Model): Spending {
  const end = model.now();
  return spendingIn(app, { start: startOfMonth(end), end }, model);
}

export function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** From a midnight in UTC up to a later time, which is not after now. */
export function spendingIn(app: AppRecord, range: TimeRange, model: Model): Spending {
  const { start, end } = range;
  // A replica that started on the day before may still run.
  const runs = findRuns(app, { start: start - day, end }, model);
  const spending = { ...nothing };
  for (const { startedAt, endsAt, billed } of replicaPeriods(app, runs, range, model)) {
    const seconds = Math.max(0, Math.min(endsAt, end) - Math.max(startedAt, start)) / 1000;
    const settings = billed ?? settingsAt(app, startedAt);
    const { cpu, gpu, memory } = pricesPerSecond(settings);
    spending.cpu += cpu * seconds;
    spending.gpu += gpu * seconds;
    spending.memory += memory * seconds;
    spending.gpuSeconds += seconds * settings.gpuCount;
  }
  const created = runs.filter(({ createdAt }) => createdAt >= start);
  return { ...spending, ...countRequests(created, model.now()) };
}

function countRequests(runs: readonly RunRecord[], now: number) {
  const requests = { successful: 0, errored: 0, total: runs.length };
  for (const run of runs) {
    const outcome = runOutcome(getRunProgress(run, now));
    if (outcome === 'succeeded') requests.successful += 1;
    if (outcome.startsWith('failed')) requests.errored += 1;
  }
  return requests;
}

/** The price of a running replica in US cents per second. */
export function costPerSecond(settings: BilledSettings): number {
  return totalCents(pricesPerSecond(settings));
}

/** In US cents per second. Invented, but close to real prices. */
function pricesPerSecond({ compute, gpuCount, cpu, memory, computeTier }: BilledSettings) {
  const factor = computeTier === 'protected' ? 2 : 1;
  return {
    gpu: factor * gpuCount * (acceleratorFacts[compute[0] ?? '']?.price ?? 0),
    cpu: factor * cpu * corePrice,
    memory: factor * memory * gigabytePrice,
  };
}

const corePrice = 0.000655;
const gigabytePrice = 0.000222;
