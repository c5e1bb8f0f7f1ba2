import { estimateUsage, type UsageSample } from '../model/metrics/estimated-usage.ts';
import { percentile } from '../model/runs/buckets.ts';
import { findRuns, getRunProgress } from '../model/runs/record.ts';
import type { AppRecord, RunRecord } from '../model/state/records.ts';
import { findApp } from '../model/state/store.ts';
import { formatTime, parseTimeRange, splitIntoSteps, type TimeSteps } from '../model/time.ts';
import type { Handlers, Platform } from './platform.ts';

export const metricsHandlers = {
  /**
   * The use of CPU, memory and GPU memory: measured where the app runs on this machine, made up for runs that did not happen
   * here (docs/platform.md#metrics).
   */
  async getResourceMetrics({ query, ...params }, platform) {
    const app = findApp(platform.store, params);
    const { container_id: container, resolution } = query;
    const { usage } = platform.runner;
    await usage.sample();
    const steps = splitIntoSteps(parseTimeRange(query, ['start', 'end'], platform.now()), resolution);
    const used = [...usage.samplesOf(app.id, steps), ...estimateUsage(app, steps, platform)].filter(
      (sample) => !container || sample.container === container,
    );
    const samples = groupByStep(used, ({ at }) => at, steps);
    const timestamps = steps.times.map((time) => Math.floor(time / 1000));
    const chart = (series: MetricSeries[]) => ({ timestamps, series });
    const counts = (name: string, items: readonly unknown[][]) =>
      chart([{ name, data: items.map(({ length }) => String(length)) }]);
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
      containers: counts(
        'containers',
        samples.map((of) => [...new Set(of.map(({ container }) => container))]),
      ),
      requests: counts('requests', runsByStep(app, steps, container, platform)),
    };
  },

  // The percentiles of a step without cold starts are absent: they are numbers (spec 2.9).
  getStartupTimes({ query, ...params }, platform) {
    const app = findApp(platform.store, params);
    const range = parseTimeRange(query, ['start', 'end'], platform.now());
    const steps = splitIntoSteps(range, query.resolution);
    const runs = runsByStep(app, steps, query.container_id, platform);
    const starts = runs.map((of) =>
      of.map((run) => getRunProgress(run, platform.now()).coldstartMs / 1000).filter((seconds) => seconds > 0),
    );
    const series = starts.map((seconds, index) => ({
      timestamp: Math.floor((steps.times[index] ?? 0) / 1000),
      ...(seconds.length > 0 && percentiles(seconds.sort((a, b) => a - b))),
    }));
    return {
      status: 'success',
      data: {
        time_series: series,
        total_runs: runs.flat().length,
        start_date: formatTime(range.start),
        end_date: formatTime(range.end),
      },
    };
  },
} satisfies Partial<Handlers>;

// An index signature, which the contract needs, is in types but not in interfaces.
type MetricSeries = { name: string; data: (string | null)[] };

function groupByStep<Item>(items: readonly Item[], timeOf: (item: Item) => number, steps: TimeSteps): Item[][] {
  const groups = steps.times.map((): Item[] => []);
  for (const item of items) groups[steps.indexOf(timeOf(item))]?.push(item);
  return groups;
}

/** The runs of an app, or of one of its containers. */
function runsByStep(
  app: AppRecord,
  steps: TimeSteps,
  container: string | undefined,
  platform: Platform,
): RunRecord[][] {
  const runs = findRuns(app, steps, platform).filter((run) => !container || run.container === container);
  return groupByStep(runs, ({ createdAt }) => createdAt, steps);
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
): MetricSeries {
  const data = steps.map((samples) => {
    const values = samples.map(read).filter((value) => value !== null);
    const value = join(values.sort((a, b) => a - b));
    return value === undefined ? null : String(Number(value.toFixed(6)));
  });
  return { name, data };
}

function percentiles(sorted: number[]) {
  return { p50: percentile(sorted, 50), p90: percentile(sorted, 90), p99: percentile(sorted, 99) };
}
