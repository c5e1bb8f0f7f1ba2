import type { Command as Commander } from '@commander-js/extra-typings';
import { chooseBucketSize, readRunsChart } from '../../../calls/runs/index.ts';
import { localTimeZone } from '../../../kernel/wall-clock.ts';
import { bucketSizes } from '../../../platform/contract/runs.ts';
import { atPlatformTime } from '../../../platform/replies/index.ts';
import { defineCommand, type FlagsOf } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { chartPageFlags, saveChartPage } from '../../flags/chart-page.ts';
import { rangeFlags, resolveRange, runFilterFlags, runFilters } from '../../flags/list.ts';
import { repeatableChoiceFlag, zoneFlag } from '../../flags/values.ts';
import { anything, document, number, passThrough, text } from '../../result-schema.ts';
import { type RunsChartViewOptions, runMetrics, runsChartView, runsReport } from '../../views/runs-chart.ts';

export default defineCommand({
  configure: chartFlags,
  run: async (context, app, flags) => {
    const reply = await atPlatformTime(context, (now) => {
      const { range, by, zone } = chartOptions(flags, now);
      return readRunsChart(context, { app, ...range, by, zone, filters: runFilters(flags) });
    });
    const options = chartOptions(flags, context.platformNow());
    await saveChartPage(context, flags, `Runs of ${app}`, () => runsReport(reply, options));
    return reply;
  },
  view: (reply, flags) => (page) => runsChartView(reply, chartOptions(flags, page.now))(page),
  effect: 'reads',
  details: [
    'Runs are calls and jobs of gantry run; gantry cost, metrics and status count calls alone.',
    'Response times: p50, p90 and p99. status has the p95 of the last hour, runs export each time.',
  ],
  json: document(
    passThrough({
      aggregatedData: anything('buckets; platform values, passed through; times in ms'),
      groupBy: text('bucket size'),
      timeRange: anything('the range covered'),
      total: number('number of runs'),
    }),
  ),
  examples: [
    'runs chart web',
    'runs chart web --since 7d --by day --timezone Europe/Berlin',
    'runs chart web --metric runs --status failure',
    'runs chart web --since 30d --html runs.html --open',
  ],
});

function chartFlags(command: Commander) {
  const size = command.createOption('--by <size>', 'bucket size (default: depends on the range)').choices(bucketSizes);
  const metrics = `${runMetrics.join(', ')}; repeatable (default: all)`;
  const flagged = rangeFlags(appArgument(command))
    .addOption(size)
    .option('--timezone <zone>', 'time zone, such as Europe/Berlin (default: local)', zoneFlag)
    .option('--metric <metric>', metrics, repeatableChoiceFlag(runMetrics));
  return chartPageFlags(runFilterFlags(flagged));
}

type ChartFlags = FlagsOf<typeof chartFlags>;

function chartOptions(flags: ChartFlags, now: number): RunsChartViewOptions {
  const range = resolveRange(flags, now);
  return {
    range,
    by: flags.by ?? chooseBucketSize(range.until - range.since),
    zone: flags.timezone ?? localTimeZone(),
    metrics: flags.metric ?? runMetrics,
  };
}
