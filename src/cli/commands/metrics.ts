import type { Command as Commander } from '@commander-js/extra-typings';
import { findContainer } from '../../calls/logs/index.ts';
import {
  type Condition,
  figureNames,
  figureText,
  leastIntervalMs,
  type MetCondition,
  parseCondition,
  runTop,
  type TopFrame,
  watchApp,
} from '../../insight/monitor/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import { platformExits, UsageError } from '../../kernel/errors.ts';
import type { Chart, ChartReport, Panel } from '../../kernel/output/chart/model.ts';
import { amountText, maximum, valueText } from '../../kernel/output/chart/value-axis.ts';
import { duration, forPeople } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Columns, keyValueTable, table } from '../../kernel/output/table.ts';
import { formatWallClock, localTimeZone, wallClock } from '../../kernel/wall-clock.ts';
import type { Context } from '../../platform/context.ts';
import {
  getResourceMetrics,
  getStartupTimes,
  type ResourceChart,
  type ResourceMetrics,
  resolutions,
  type StartupTimes,
} from '../../platform/contract/metrics.ts';
import { unixTime } from '../../platform/contract/scalars.ts';
import { atPlatformTime } from '../../platform/replies/index.ts';
import { defineCommand, type FlagsOf } from '../command.ts';
import { appsArgument } from '../flags/app.ts';
import { chartPageFlags, saveChartPage } from '../flags/chart-page.ts';
import { resolveRange } from '../flags/list.ts';
import { durationFlag, repeatableChoiceFlag, type TimeFromNow, timeFlag, zoneFlag } from '../flags/values.ts';
import { afterEvents, anything, document, number, passThrough, text } from '../result-schema.ts';
import { appFigures, liveFields, liveView } from '../views/live-figures.ts';
import { startupReport, startupView } from '../views/startup-times.ts';
import { type ChartRange, chartView, pointsOfTime, rangeText } from '../views/timeline.ts';

export default defineCommand({
  configure: metricsFlags,
  flagRules: { requires: { for: ['live'], timeout: ['until'] }, excludes: { startup: ['metric'], live: ['until'] } },
  run: async (context, app, { live, for: forMs, ...flags }): Promise<Result> => {
    if (live) return runTop(context, { app, everyMs: leastIntervalMs, forMs });
    if (app === undefined) throw new UsageError('metrics of all apps are shown live', { retryWith: ['--live'] });
    if (flags.until?.conditions.length) return waitFor(context, app, flags.until.conditions, flags.timeout);
    if (flags.timeout !== undefined) throw new UsageError("--timeout needs a condition, such as --until 'p90>5s'");
    const ranged = { ...flags, until: flags.until?.time };
    return flags.startup ? readStartup(context, app, ranged) : readResources(context, app, ranged);
  },
  view: (value, flags) => (page) => {
    if (isFrame(value)) return liveView(value)(page);
    if (isMet(value)) return metView(value)(page);
    const ranged = { ...flags, until: flags.until?.time };
    return (flags.startup ? startupView : resourcesView)(value, chartOptions(ranged, page.now))(page);
  },
  data: (value) => {
    if (!isFrame(value)) return value;
    const { at, project, apps, failures, problem } = value;
    return { at, project, apps, failures, problem };
  },
  next: (value, { startup, html }, [app]) =>
    isFrame(value) || isMet(value) || startup || html
      ? []
      : [
          {
            line: gantryCommand`runs chart ${String(app)}`,
            when: 'for response times and errors; status has the p95',
            keeps: ['--since', '--until', '--timezone'],
          },
          { line: gantryCommand`status ${String(app)}`, when: 'for the p95 of the last hour' },
          { line: gantryCommand`runs list ${String(app)} --response 1s..`, when: 'for slow calls' },
        ],
  effect: 'reads',
  live: true,
  exits: [...platformExits, 'pending'],
  json: afterEvents(
    liveFields,
    document(
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
      {
        app: text('app name'),
        condition: text('the condition that has held, as it was typed'),
        value: number('the figure: in ms, percent, or a number'),
        heldMs: number('how long it has held, in ms'),
        waitedMs: number('how long it took, in ms'),
        figures: appFigures,
      },
    ),
  ),
  details: [
    `--until waits until a figure of the last minute passes a bound, and exits with 8 at the time limit. Figures: ${figureNames.join(', ')}; errors in percent, cold starts a minute, calls a second.`,
    'Response times of a longer time: runs chart.',
    'Keys of --live: j and k select an app, l shows its log, q quits.',
  ],
  examples: [
    'metrics web',
    'metrics web --live',
    "metrics web --until 'p90>5s for 5m' --until 'errors>1%'",
    'metrics web --startup --since 7d --resolution high',
    'metrics web --container p-123-web-6f-1 --metric memory',
    'metrics web --since 30d --html resources.html',
  ],
});

type Result = (ResourceMetrics & StartupTimes) | MetCondition | ReturnType<typeof runTop>;

function isFrame(value: object): value is TopFrame {
  return 'failures' in value && 'apps' in value;
}

function isMet(value: object): value is MetCondition {
  return 'condition' in value && 'heldMs' in value;
}

/** A time, as of other ranges, or conditions to wait for. */
interface Until {
  time?: TimeFromNow;
  conditions: Condition[];
}

function untilFlag(text: string, { conditions }: Until = { conditions: [] }): Until {
  return /[<>]/.test(text)
    ? { conditions: [...conditions, parseCondition(text)] }
    : { time: timeFlag(text), conditions };
}

function waitFor(context: Context, app: string, conditions: Condition[], timeoutMs = 3_600_000) {
  const longest = conditions.find(({ forMs }) => forMs > timeoutMs);
  if (longest) {
    throw new UsageError(`--timeout ${duration(timeoutMs)} is shorter than "${longest.text}"`, {
      fix: `--timeout ${Math.ceil((2 * longest.forMs) / 60_000)}m`,
    });
  }
  return watchApp(context, { app, conditions, timeoutMs });
}

function metView(met: MetCondition): View {
  return keyValueTable([
    ['app', met.app],
    ['condition', met.condition],
    ['value', forPeople(figureText(parseCondition(met.condition), met.value), met.value)],
    ['waited', forPeople(duration(met.waitedMs), met.waitedMs)],
  ]);
}

type Flags = FlagsOf<typeof metricsFlags>;
type RangedFlags = Omit<Flags, 'until'> & { until: TimeFromNow | undefined };

function chartOptions(flags: RangedFlags, now: number) {
  return {
    range: resolveRange(flags, now),
    zone: flags.timezone ?? localTimeZone(),
    metrics: flags.metric ?? resourceMetrics,
  };
}

async function readResources(context: Context, app: string, flags: RangedFlags) {
  const { api, project, progress } = context;
  const reply = await atPlatformTime(context, async (now) =>
    api(getResourceMetrics, { project, app, query: await metricsQuery(context, app, flags, now) }),
  );
  const report = resourcesReport(reply, chartOptions(flags, context.platformNow()));
  if (report.rows.length === 0) progress.note('nothing was measured in this time; pass --since to go further back');
  await saveChartPage(context, flags, `Resource use of ${app}`, () => report);
  return reply;
}

async function readStartup(context: Context, app: string, flags: RangedFlags) {
  const { api, project, progress } = context;
  const reply = await atPlatformTime(context, async (now) =>
    api(getStartupTimes, { project, app, query: await metricsQuery(context, app, flags, now) }),
  );
  const report = startupReport(reply, chartOptions(flags, context.platformNow()));
  const { status, data } = reply;
  if (!data) progress.warn(`the platform returned no data: its status is "${status ?? 'unknown'}"`);
  else if (status && status !== 'success')
    progress.warn(`the data may be incomplete: the platform's status is "${status}"`);
  else if (report.rows.length === 0) progress.note('no starts in this time; pass --since to go further back');
  await saveChartPage(context, flags, `Start-up times of ${app}`, () => report);
  return reply;
}

function metricsFlags(command: Commander) {
  const flagged = appsArgument(command)
    .option('--since <time>', 'start at this time, or this long ago (default: 24h before --until)', timeFlag)
    .option('--until <when>', "end at this time, or wait for a condition: 'p90>5s for 5m'", untilFlag)
    .option('--container <name>', 'only show this container; a part of its name is enough')
    .addOption(command.createOption('--resolution <resolution>', 'number of points').choices(resolutions))
    .option('--timezone <zone>', 'time zone, such as Europe/Berlin (default: local)', zoneFlag)
    .option(
      '--metric <metric>',
      `${resourceMetrics.join(', ')}; repeatable (default: all)`,
      repeatableChoiceFlag(resourceMetrics),
    )
    .option('--startup', 'chart how long replicas take to start')
    .option('--live', 'show figures of the last minute, again and again')
    .option('--for <duration>', 'end after this time', durationFlag)
    .option('--timeout <duration>', 'stop waiting (default: 1h)', durationFlag);
  return chartPageFlags(flagged);
}

async function metricsQuery(context: Context, app: string, flags: RangedFlags, now: number) {
  const { since, until } = resolveRange(flags, now);
  const [start, end] = [since, until].map((time) => new Date(time).toISOString());
  const container = flags.container && (await findContainer(context, app, flags.container));
  return { start, end, container_id: container, resolution: flags.resolution };
}

const resourceMetrics = ['cpu', 'memory', 'gpu'] as const;
type ResourceMetric = (typeof resourceMetrics)[number];

interface ResourcesViewOptions {
  range: ChartRange;
  zone: string;
  metrics: readonly ResourceMetric[];
}

const resources = {
  cpu: { title: 'CPU', column: 'CPU', unit: 'cores' },
  memory: { title: 'memory', column: 'MEM', unit: 'GB' },
  gpu: { title: 'GPU memory', column: 'GPU', unit: 'GB' },
} as const;

interface ResourcePoint extends Record<ResourceMetric, readonly (number | null)[]> {
  time: number;
}

/** Charts of what replicas used, followed by a table; off a terminal the points as tab-separated numbers. */
function resourcesView(reply: ResourceMetrics, options: ResourcesViewOptions): View {
  const report = resourcesReport(reply, options);
  const { rows } = report;
  const rowsView: View = (page) => {
    const columns = pointColumns(reply, options, page.columns < fullTableColumns ? 'highest' : 'all');
    return table(rows, columns, { keep: ['TIME'], right: Object.keys(columns).slice(1) })(page);
  };
  const values = table(rows, pointColumns(reply, { ...options, zone: undefined }, 'all'));
  return chartView(report, rows.length > 0, rowsView, values);
}

function resourcesReport(reply: ResourceMetrics, options: ResourcesViewOptions): ChartReport<ResourcePoint> {
  const points = readPoints(reply);
  const shown = measuredMetrics(reply, options);
  return {
    summary: [shown.map((metric) => peakText(reply, metric)).join(', '), rangeText(options.range, options.zone)].filter(
      (line) => line !== '',
    ),
    chart: chartOf(reply, points, options),
    rows: points
      .filter((point) => shown.some((metric) => point[metric].some((value) => value !== null)))
      .sort((one, other) => other.time - one.time),
    columns: pointColumns(reply, options, 'all'),
  };
}

/** The requested metrics that have a value: an app without a GPU has no panel for it. */
function measuredMetrics(reply: ResourceMetrics, { metrics }: Pick<ResourcesViewOptions, 'metrics'>): ResourceMetric[] {
  return resourceMetrics.filter((metric) => metrics.includes(metric) && valuesOf(reply[metric]).length > 0);
}

/** `peak CPU 1.2 cores` */
function peakText(reply: ResourceMetrics, metric: ResourceMetric): string {
  const { title, unit } = resources[metric];
  return `peak ${title} ${valueText(maximum(valuesOf(reply[metric])), unit)}`;
}

function valuesOf(chart: ResourceChart | null | undefined): number[] {
  return seriesOf(chart).flatMap(({ data }) => (data ?? []).filter((value) => value !== null));
}

function seriesOf(chart: ResourceChart | null | undefined) {
  return chart?.series ?? [];
}

/** The charts of a reply have the same times. */
function readPoints(reply: ResourceMetrics): ResourcePoint[] {
  const timestamps = resourceMetrics.map((metric) => reply[metric]?.timestamps).find((times) => times?.length) ?? [];
  const valuesAt = (metric: ResourceMetric, index: number) =>
    seriesOf(reply[metric]).map(({ data }) => data?.[index] ?? null);
  return timestamps.flatMap((timestamp, index) => {
    if (timestamp === null) return [];
    const [cpu, memory, gpu] = [valuesAt('cpu', index), valuesAt('memory', index), valuesAt('gpu', index)];
    return [{ time: unixTime(timestamp), cpu, memory, gpu }];
  });
}

function chartOf(reply: ResourceMetrics, points: readonly ResourcePoint[], options: ResourcesViewOptions): Chart {
  const { range, zone } = options;
  const steps = pointsOfTime(points, ({ time }) => time, range);
  const panelOf = (metric: ResourceMetric): Panel => ({
    title: `${resources[metric].title} in ${resources[metric].unit}`,
    kind: 'lines',
    unit: resources[metric].unit,
    series: seriesOf(reply[metric]).map(({ name }, index) => ({
      name,
      values: steps.map(({ entry }) => entry?.[metric][index] ?? null),
    })),
  });
  return {
    step: 'point',
    zone,
    times: steps.map(({ time }) => time),
    panels: measuredMetrics(reply, options).map(panelOf),
  };
}

const fullTableColumns = 106;

/** Without a zone, for scripts: RFC 3339, all requested metrics, and numbers as the platform sent them. */
function pointColumns(
  reply: ResourceMetrics,
  { zone, metrics }: Pick<ResourcesViewOptions, 'metrics'> & { zone: string | undefined },
  which: 'all' | 'highest',
): Columns<ResourcePoint> {
  const clock = zone === undefined ? undefined : wallClock(zone);
  const shown = clock
    ? measuredMetrics(reply, { metrics })
    : resourceMetrics.filter((metric) => metrics.includes(metric));
  const columnsOf = (metric: ResourceMetric) => {
    const { column, unit } = resources[metric];
    const series = seriesOf(reply[metric]);
    return series
      .map(({ name }, index) => ({
        title: series.length === 1 ? column : `${column} ${name.toUpperCase()}`,
        read: (point: ResourcePoint) => cellOf(point[metric][index] ?? null, clock && unit),
      }))
      .slice(which === 'highest' ? -1 : 0);
  };
  return {
    TIME: ({ time }) => (clock ? formatWallClock(clock(time)) : new Date(time).toISOString()),
    ...Object.fromEntries(shown.flatMap(columnsOf).map(({ title, read }) => [title, read])),
  };
}

/** Cores need no unit, which the summary has: nine columns must fit on a terminal. */
function cellOf(value: number | null, unit: 'cores' | 'GB' | undefined) {
  if (value === null || unit === undefined) return value;
  return unit === 'cores' ? amountText(value) : valueText(value, unit);
}
