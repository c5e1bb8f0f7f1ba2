import { defineCommand } from '../../command.ts';
import { getResourceMetrics } from '../../contract/metrics.ts';
import { appArgument } from '../../flags/app.ts';
import { chartPageFlags, checkChartPageFlags, saveChartPage } from '../../flags/chart-page.ts';
import { metricsFlags, metricsQuery } from '../../flags/metrics.ts';
import { type RangeFlags, resolveRange } from '../../flags/range.ts';
import { repeatableChoiceFlag } from '../../flags/values.ts';
import { localTimeZone } from '../../output/time-zone.ts';
import { anything, document, passThrough } from '../../result-schema.ts';
import {
  type ResourceMetric,
  type ResourcesViewOptions,
  resourceMetrics,
  resourcesReport,
  resourcesView,
} from '../../views/resource-metrics.ts';

export default defineCommand({
  configure: (command) =>
    chartPageFlags(
      metricsFlags(appArgument(command)).option(
        '--metric <metric>',
        `${resourceMetrics.join(', ')}; repeatable (default: all)`,
        repeatableChoiceFlag(resourceMetrics),
      ),
    ),
  run: async (context, app, flags) => {
    const { api, project, progress, now } = context;
    checkChartPageFlags(flags);
    const options = chartOptions(flags, now());
    const query = await metricsQuery(context, app, flags, options.range);
    const reply = await api(getResourceMetrics, { project, app, query });
    const report = resourcesReport(reply, options);
    if (report.rows.length === 0) progress.note('nothing was measured in this time; pass --since to go further back');
    await saveChartPage(context, flags, `Resource use of ${app}`, () => report);
    return reply;
  },
  view: (reply, flags) => (page) => resourcesView(reply, chartOptions(flags, page.now))(page),
  effect: 'reads',
  json: document(
    passThrough({
      cpu: anything('timestamps, and series (name, data) in cores; a gap is null'),
      memory: anything('the same in GB'),
      gpu: anything('the same in GB of GPU memory'),
      containers: anything('the same; number of containers'),
      requests: anything('the same; number of requests'),
    }),
  ),
  examples: [
    'metrics resources web',
    'metrics resources web --since 7d --resolution high',
    'metrics resources web --container p-123-web-6f-1 --metric memory',
    'metrics resources web --since 30d --html resources.html',
  ],
});

interface ChartFlags extends RangeFlags {
  timezone?: string | undefined;
  metric?: ResourceMetric[] | undefined;
}

function chartOptions(flags: ChartFlags, now: number): ResourcesViewOptions {
  return {
    range: resolveRange(flags, now),
    zone: flags.timezone ?? localTimeZone(),
    metrics: flags.metric ?? resourceMetrics,
  };
}
