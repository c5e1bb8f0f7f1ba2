import { splitIntoSteps } from '../../model/metrics/time-steps.ts';
import { percentile } from '../../model/runs/aggregate.ts';
import { findRuns } from '../../model/runs/find-runs.ts';
import { getRunProgress } from '../../model/runs/run-progress.ts';
import { findApp } from '../../model/state/find-app.ts';
import { formatTime, parseTimeRange } from '../../model/time.ts';
import type { Handlers } from '../platform.ts';

export const startupTimeHandlers: Pick<Handlers, 'getStartupTimes'> = {
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
};

function percentiles(sorted: number[]) {
  return { p50: percentile(sorted, 50), p90: percentile(sorted, 90), p99: percentile(sorted, 99) };
}
