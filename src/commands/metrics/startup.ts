import { defineCommand } from '../../command.ts';
import { getStartupTimes } from '../../contract/metrics.ts';
import { appArgument } from '../../flags/app.ts';
import { chartPageFlags, checkChartPageFlags, saveChartPage } from '../../flags/chart-page.ts';
import { metricsFlags, metricsQuery } from '../../flags/metrics.ts';
import { type RangeFlags, resolveRange } from '../../flags/range.ts';
import { localTimeZone } from '../../output/time-zone.ts';
import { anything, document, passThrough, text } from '../../result-schema.ts';
import { type StartupViewOptions, startupReport, startupView } from '../../views/startup-times.ts';

export default defineCommand({
  configure: (command) => chartPageFlags(metricsFlags(appArgument(command))),
  run: async (context, app, flags) => {
    const { api, project, progress, now } = context;
    checkChartPageFlags(flags);
    const options = chartOptions(flags, now());
    const query = await metricsQuery(context, app, flags, options.range);
    const reply = await api(getStartupTimes, { project, app, query });
    const report = startupReport(reply, options);
    const { status, data } = reply;
    if (!data) progress.warn(`the platform returned no data: its status is "${status ?? 'unknown'}"`);
    else if (status && status !== 'success')
      progress.warn(`the data may be incomplete: the platform's status is "${status}"`);
    else if (report.rows.length === 0) progress.note('no starts in this time; pass --since to go further back');
    await saveChartPage(context, flags, `Start-up times of ${app}`, () => report);
    return reply;
  },
  view: (reply, flags) => (page) => startupView(reply, chartOptions(flags, page.now))(page),
  effect: 'reads',
  json: document(
    passThrough({
      status: text('"success" if there is data'),
      data: anything('time_series (timestamp, p50, p90, p99; seconds), total_runs, start_date, end_date'),
    }),
  ),
  examples: [
    'metrics startup web',
    'metrics startup web --since 7d --resolution high',
    'metrics startup web --since 30d --html startup.html',
  ],
});

function chartOptions(flags: RangeFlags & { timezone?: string | undefined }, now: number): StartupViewOptions {
  return { range: resolveRange(flags, now), zone: flags.timezone ?? localTimeZone() };
}
