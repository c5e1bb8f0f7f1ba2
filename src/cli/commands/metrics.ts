import { localTimeZone } from '../../kernel/output/time-zone.ts';
import type { Context } from '../../platform/context.ts';
import {
  getResourceMetrics,
  getStartupTimes,
  type ResourceMetrics,
  type StartupTimes,
} from '../../platform/contract/metrics.ts';
import { atPlatformTime } from '../../platform/replies/index.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { type ChartPageFlags, chartPageFlags, checkChartPageFlags, saveChartPage } from '../flags/chart-page.ts';
import { metricsFlags, metricsQuery } from '../flags/metrics.ts';
import { type RangeFlags, resolveRange } from '../flags/range.ts';
import { repeatableChoiceFlag } from '../flags/values.ts';
import { anything, document, passThrough, text } from '../result-schema.ts';
import { type ResourceMetric, resourceMetrics, resourcesReport, resourcesView } from '../views/resource-metrics.ts';
import { startupReport, startupView } from '../views/startup-times.ts';

export default defineCommand({
  configure: (command) =>
    chartPageFlags(
      metricsFlags(appArgument(command))
        .option(
          '--metric <metric>',
          `${resourceMetrics.join(', ')}; repeatable (default: all)`,
          repeatableChoiceFlag(resourceMetrics),
        )
        .addOption(
          command
            .createOption('--startup', 'chart how long replicas take to start instead of what they use')
            .conflicts('metric'),
        ),
    ),
  run: async (context, app, flags): Promise<ResourceMetrics & StartupTimes> => {
    checkChartPageFlags(flags);
    return flags.startup ? readStartup(context, app, flags) : readResources(context, app, flags);
  },
  view: (reply, flags) => (page) =>
    (flags.startup ? startupView : resourcesView)(reply, chartOptions(flags, page.now))(page),
  effect: 'reads',
  json: document(
    passThrough({
      cpu: anything('timestamps, and series (name, data) in cores; a gap is null'),
      memory: anything('the same in GB'),
      gpu: anything('the same in GB of GPU memory'),
      containers: anything('the same; number of containers'),
      requests: anything('the same; number of requests'),
      status: text('with --startup: "success" if there is data'),
      data: anything(
        'with --startup: time_series (timestamp, p50, p90, p99; seconds), total_runs, start_date, end_date',
      ),
    }),
  ),
  examples: [
    'metrics web',
    'metrics web --startup --since 7d --resolution high',
    'metrics web --container p-123-web-6f-1 --metric memory',
    'metrics web --since 30d --html resources.html',
  ],
});

type Flags = ChartFlags & Parameters<typeof metricsQuery>[2];

interface ChartFlags extends RangeFlags, ChartPageFlags {
  timezone?: string | undefined;
  metric?: ResourceMetric[] | undefined;
}

function chartOptions(flags: ChartFlags, now: number) {
  return {
    range: resolveRange(flags, now),
    zone: flags.timezone ?? localTimeZone(),
    metrics: flags.metric ?? resourceMetrics,
  };
}

async function readResources(context: Context, app: string, flags: Flags) {
  const { api, project, progress } = context;
  const reply = await atPlatformTime(context, async (now) => {
    const query = await metricsQuery(context, app, flags, resolveRange(flags, now));
    return api(getResourceMetrics, { project, app, query });
  });
  const report = resourcesReport(reply, chartOptions(flags, context.platformNow()));
  if (report.rows.length === 0) progress.note('nothing was measured in this time; pass --since to go further back');
  await saveChartPage(context, flags, `Resource use of ${app}`, () => report);
  return reply;
}

async function readStartup(context: Context, app: string, flags: Flags) {
  const { api, project, progress } = context;
  const reply = await atPlatformTime(context, async (now) => {
    const query = await metricsQuery(context, app, flags, resolveRange(flags, now));
    return api(getStartupTimes, { project, app, query });
  });
  const report = startupReport(reply, chartOptions(flags, context.platformNow()));
  const { status, data } = reply;
  if (!data) progress.warn(`the platform returned no data: its status is "${status ?? 'unknown'}"`);
  else if (status && status !== 'success')
    progress.warn(`the data may be incomplete: the platform's status is "${status}"`);
  else if (report.rows.length === 0) progress.note('no starts in this time; pass --since to go further back');
  await saveChartPage(context, flags, `Start-up times of ${app}`, () => report);
  return reply;
}
