import { acceleratorFacts } from '../apps/settings.ts';
import { findRuns, getRunProgress } from '../runs/record.ts';
import { createRandom } from '../seed/random.ts';
import type { AppRecord } from '../state/records.ts';
import type { Model } from '../state/store.ts';
import type { TimeRange } from '../time.ts';

/** Between samples of one run, in ms. */
const sampleMs = 5_000;

/** Made-up usage of the runs that did not happen here. */
export function estimateUsage(app: AppRecord, range: TimeRange, model: Model): UsageSample[] {
  const { now } = model;
  const { cpu, memory, gpuCount, compute } = app.settings;
  const gpuMemory = gpuCount * (acceleratorFacts[compute[0] ?? '']?.memoryGb ?? 0);
  return findRuns(app, range, model).flatMap((run) => {
    const { startedAt, endedAt = now() } = getRunProgress(run, now());
    if (run.real || startedAt === undefined) return [];
    const { next } = createRandom(run.id);
    const { container } = run;
    return Array.from({ length: Math.ceil((endedAt - startedAt) / sampleMs) }, (_, index) => ({
      at: startedAt + index * sampleMs,
      container,
      cores: (0.2 + 0.6 * next()) * cpu,
      memoryGb: (0.4 + 0.2 * next()) * memory,
      gpuGb: gpuMemory === 0 ? null : (0.5 + 0.3 * next()) * gpuMemory,
    }));
  });
}

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
