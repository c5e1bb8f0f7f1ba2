import { findRuns, getRunProgress } from '../runs/record.ts';
import { deriveReplicas } from '../runs/replica-periods.ts';
import { createRandom } from '../seed/random.ts';
import type { AppRecord } from '../state/records.ts';
import type { Model } from '../state/store.ts';
import { hour, type TimeRange, type TimeSteps } from '../time.ts';

/**
 * Made-up usage of replicas whose runs did not happen here, in proportion to the runs that they process: one sample of
 * each replica in each step.
 */
export function estimateUsage(app: AppRecord, steps: TimeSteps, model: Model): UsageSample[] {
  const now = model.now();
  // Of a replica that started before the range.
  const range = { start: steps.start - maxLifeMs, end: Math.min(steps.end, now) };
  const runs = findRuns(app, range, model.store).filter((run) => !run.real);
  const processing = new Map<string, TimeRange[]>();
  for (const run of runs) {
    const { startedAt = now, endedAt = now } = getRunProgress(run, now);
    const known = processing.get(run.container);
    if (known) known.push({ start: startedAt, end: endedAt });
    else processing.set(run.container, [{ start: startedAt, end: endedAt }]);
  }
  return deriveReplicas(app, runs, model).flatMap(({ name, startedAt, readyAt, endsAt }) =>
    steps.times.flatMap((time) => {
      const [from, until] = [Math.max(time, startedAt), Math.min(time + steps.stepMs, endsAt, now)];
      if (from >= until) return [];
      const share = ({ start, end }: TimeRange) =>
        Math.max(0, Math.min(until, end) - Math.max(from, start)) / (until - from);
      const busy = (processing.get(name) ?? []).reduce((sum, span) => sum + share(span), 0);
      const starting = share({ start: startedAt, end: readyAt });
      const at = Math.floor((from + until) / 2);
      return [{ at, container: name, ...usageOf(app, name, at, { busy, starting }) }];
    }),
  );
}

const maxLifeMs = 6 * hour;

/** `busy` is the average number of runs in progress, `starting` the share of the time before the replica was ready. */
function usageOf(
  app: AppRecord,
  container: string,
  at: number,
  { busy, starting }: Record<'busy' | 'starting', number>,
) {
  const { cpu, memory, gpuCount, compute } = app.settings;
  const ofApp = createRandom(`${app.traffic?.seed}/${app.name}/usage`);
  const random = createRandom(`${app.traffic?.seed}/${container}/${at}`);
  const vary = (value: number, by: number) => value * (1 + by * (2 * random.next() - 1));
  const loaded = 0.35 + 0.2 * ofApp.next();
  const gpuMemory = gpuCount * (gpuMemories[compute[0] ?? ''] ?? 0);
  const gpuLoaded = 0.5 + 0.2 * ofApp.next();
  return {
    cores: Math.min(0.98 * cpu, vary(0.01 * cpu + busy * Math.min(0.85, 0.6 * cpu) + starting * 0.75 * cpu, 0.15)),
    memoryGb: Math.min(0.97, vary(loaded * (1 - 0.5 * starting) + 0.03 * busy, 0.02)) * memory,
    gpuGb: gpuMemory === 0 ? null : Math.min(0.97, vary(gpuLoaded * (1 - starting) + 0.04 * busy, 0.01)) * gpuMemory,
  };
}

/** GB of each accelerator (docs/platform.md#hardware). That of INF2 is not documented. */
const gpuMemories: Record<string, number> = {
  TURING_T4: 16,
  ADA_L4: 24,
  AMPERE_A10: 24,
  ADA_L40: 48,
  AMPERE_A100_40GB: 40,
  AMPERE_A100_80GB: 80,
  BLACKWELL_RTX6000: 96,
  HOPPER_H100: 80,
  HOPPER_H200: 141,
  BLACKWELL_B200: 180,
  TRN1: 32,
};

/** What a replica used at a time, by the platform's clock. */
export interface UsageSample {
  at: number;
  container: string;
  /** CPU cores, on average since the sample before. */
  cores: number;
  memoryGb: number;
  /** Null if it was not measured. */
  gpuGb: number | null;
}
