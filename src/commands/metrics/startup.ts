import { defineCommand } from '../../command.ts';
import { getStartupTimes, resolutions } from '../../contract/metrics.ts';
import { chartPageFlags, checkChartPageFlags, saveChartPage } from '../../flags/chart-page.ts';
import { type RangeFlags, rangeFlags, resolveRange } from '../../flags/range.ts';
import { zoneFlag } from '../../flags/values.ts';
import { localTimeZone } from '../../output/time-zone.ts';
import { type StartupViewOptions, startupReport, startupView } from '../../views/startup-times.ts';

export default defineCommand({
  configure: (command) =>
    chartPageFlags(
      rangeFlags(command.argument('<app>', 'app name or id'))
        .option('--container <id>', 'only this container')
        .addOption(command.createOption('--resolution <resolution>', 'more points than usual').choices(resolutions))
        .option('--timezone <zone>', 'whose clocks, such as Europe/Berlin (yours if left out)', zoneFlag),
    ),
  run: async (context, app, flags) => {
    const { api, project, progress, now } = context;
    checkChartPageFlags(flags);
    const wish = wishOf(flags, now());
    const { since, until } = wish.range;
    const reply = await api(getStartupTimes, {
      ...{ project, app },
      query: {
        ...{ start: new Date(since).toISOString(), end: new Date(until).toISOString() },
        ...{ container_id: flags.container, resolution: flags.resolution },
      },
    });
    const report = startupReport(reply, wish);
    const { status, data } = reply;
    if (!data) progress.warn(`the platform has nothing to show: its status is "${status ?? 'unknown'}"`);
    else if (status && status !== 'success') progress.warn(`this may not be all: the platform's status is "${status}"`);
    else if (report.rows.length === 0) progress.note('nothing started in this time; --since looks further back');
    await saveChartPage(context, flags, `Start-up times of ${app}`, () => report);
    return reply;
  },
  view: (reply, flags) => (page) => startupView(reply, wishOf(flags, page.now))(page),
  passesThrough: true,
  json: {
    status: '"success" when there is data',
    data: 'time_series (timestamp, p50, p90, p99; seconds), total_runs, start_date, end_date',
  },
  examples: [
    'metrics startup web',
    'metrics startup web --since 7d --resolution high',
    'metrics startup web --since 30d --html startup.html',
  ],
});

function wishOf(flags: RangeFlags & { timezone?: string | undefined }, now: number): StartupViewOptions {
  return { range: resolveRange(flags, now), zone: flags.timezone ?? localTimeZone() };
}
