import { findApp } from '../apps/find.ts';
import type { Handlers } from '../platform.ts';
import { formatTime, parseTimeRange } from '../time.ts';
import { percentile } from './aggregate.ts';
import { findRuns } from './find.ts';
import { getRunProgress } from './run-progress.ts';

export const metricsHandlers: Pick<Handlers, 'getStartupTimes'> = {
  // The percentiles of a step without cold starts are null (spec 2.9).
  getStartupTimes({ query = {}, ...params }, platform) {
    const app = findApp(platform.store, params);
    const range = parseTimeRange(query, ['start', 'end'], platform.now());
    const runs = findRuns(app, { ...range, end: Math.min(range.end, platform.now()) }, platform.store).filter(
      (run) => query.container_id === undefined || run.container === query.container_id,
    );

    const stepCount = stepCounts[query.resolution ?? 'standard'];
    const step = Math.max(1, range.end - range.start) / stepCount;
    const starts: number[][] = Array.from({ length: stepCount }, () => []);
    for (const run of runs) {
      const { coldstartMs } = getRunProgress(run, platform.now());
      const index = Math.min(stepCount - 1, Math.floor((run.createdAt - range.start) / step));
      if (coldstartMs > 0) starts[index]?.push(coldstartMs / 1000);
    }
    const series = starts.map((seconds, index) => ({
      timestamp: Math.floor((range.start + index * step) / 1000),
      ...percentiles(seconds.sort((a, b) => a - b)),
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

const stepCounts = { standard: 60, medium: 120, high: 240 };

function percentiles(sorted: number[]) {
  return { p50: percentile(sorted, 50), p90: percentile(sorted, 90), p99: percentile(sorted, 99) };
}
