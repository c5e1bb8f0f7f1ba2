import { estimateUsage, type UsageSample } from '../model/metrics/estimated-usage.ts';
import { percentile } from '../model/runs/buckets.ts';
import { findRuns, getRunProgress } from '../model/runs/record.ts';
import type { AppRecord } from '../model/state/records.ts';
import { findApp } from '../model/state/store.ts';
import { formatTime, parseTimeRange, splitIntoSteps, type TimeSteps } from '../model/time.ts';
import type { Handlers, Platform } from './platform.ts';

export const metricsHandlers = {
  /**
   * The use of CPU, memory and GPU memory: measured where the app runs on this machine, made up for runs that did not happen
   * here (docs/platform.md#metrics).
   */
  async getResourceMetrics({ query = {}, ...params }, platform) {
    const app = findApp(platform.store, params);
    const { container_id: container, resolution } = query;
    const { usage } = platform.runner;
    await usage.sample();
    const steps = splitIntoSteps(parseTimeRange(query, ['start', 'end'], platform.now()), resolution);
    const samples = groupByStep(
      [...usage.samplesOf(app.id, steps), ...estimateUsage(app, steps, platform)].filter(
        (sample) => !container || sample.container === container,
      ),
      steps,
    );
    const timestamps = steps.times.map((time) => Math.floor(time / 1000));
    const chart = (series: Series[]) => ({ timestamps, series });
    const resource = (name: string, read: (sample: UsageSample) => number | null) =>
      chart(
        container
          ? [seriesOf(name, samples, read, maximumOf)]
          : scopes.map(([scope, join]) => seriesOf(scope, samples, read, join)),
      );
    return {
      cpu: resource('cpu', ({ cores }) => cores),
      memory: resource('memory', ({ memoryGb }) => memoryGb),
      gpu: resource('gpu', ({ gpuGb }) => gpuGb),
      containers: chart([
        { name: 'containers', data: samples.map((of) => String(new Set(of.map(({ container }) => container)).size)) },
      ]),
      requests: chart([{ name: 'requests', data: countRequests(app, steps, container, platform) }]),
    };
  },

  // The percentiles of a step without cold starts are absent: they are numbers (spec 2.9).
  getStartupTimes({ query = {}, ...params }, platform) {
    const app = findApp(platform.store, params);
    const range = parseTimeRange(query, ['start', 'end'], platform.now());
    const runs = findRuns(app, { ...range, end: Math.min(range.end, platform.now()) }, platform.store).filter(
      (run) => query.container_id === undefined || run.container === query.container_id,
    );

    const steps = splitIntoSteps(range, query.resolution);
    const starts = steps.times.map((): number[] => []);
    for (const run of runs) {
      const { coldstartMs } = getRunProgress(run, platform.now());
      if (coldstartMs > 0) starts[steps.indexOf(run.createdAt)]?.push(coldstartMs / 1000);
    }
    const series = starts.map((seconds, index) => ({
      timestamp: Math.floor((steps.times[index] ?? 0) / 1000),
      ...(seconds.length > 0 && percentiles(seconds.sort((a, b) => a - b))),
    }));
    return {
      status: 'success',
      data: {
        time_series: series,
        total_runs: runs.length,
        start_date: formatTime(range.start),
        end_date: formatTime(range.end),
      },
    };
  },
} satisfies Partial<Handlers>;

// An index signature, which the contract needs, is in types but not in interfaces.
type Series = { name: string; data: (string | null)[] };

function groupByStep(samples: readonly UsageSample[], steps: TimeSteps): UsageSample[][] {
  const groups = steps.times.map((): UsageSample[] => []);
  for (const sample of samples) groups[steps.indexOf(sample.at)]?.push(sample);
  return groups;
}

type Join = (sorted: readonly number[]) => number | undefined;

const maximumOf: Join = (sorted) => sorted.at(-1);

const scopes: readonly (readonly [name: string, join: Join])[] = [
  ['P50', (sorted) => percentile(sorted, 50)],
  ['P90', (sorted) => percentile(sorted, 90)],
  ['Max', maximumOf],
];

/** A value for each step, as text; null where nothing was measured. */
function seriesOf(
  name: string,
  steps: readonly UsageSample[][],
  read: (sample: UsageSample) => number | null,
  join: Join,
): Series {
  const data = steps.map((samples) => {
    const values = samples.map(read).filter((value) => value !== null);
    const value = join(values.sort((a, b) => a - b));
    return value === undefined ? null : String(Number(value.toFixed(6)));
  });
  return { name, data };
}

function countRequests(
  app: AppRecord,
  steps: TimeSteps,
  container: string | undefined,
  { store, now }: Platform,
): string[] {
  const counts = steps.times.map(() => 0);
  for (const run of findRuns(app, { ...steps, end: Math.min(steps.end, now()) }, store)) {
    if (container && run.container !== container) continue;
    const index = steps.indexOf(run.createdAt);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map(String);
}

function percentiles(sorted: number[]) {
  return { p50: percentile(sorted, 50), p90: percentile(sorted, 90), p99: percentile(sorted, 99) };
}
