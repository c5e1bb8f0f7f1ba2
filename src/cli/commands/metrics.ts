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
import { hourMs } from '../../kernel/durations.ts';
import { UsageError } from '../../kernel/errors.ts';
import { amountText, maximum, valueText } from '../../kernel/output/chart/value-axis.ts';
import { count, duration, durationCell, forPeople } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Cell, keyValueTable } from '../../kernel/output/table.ts';
import type { Context } from '../../platform/context.ts';
import {
  getResourceMetrics,
  getStartupTimes,
  type ResourceMetrics,
  resolutions,
  type StartupTimes,
} from '../../platform/contract/metrics.ts';
import { unixTime } from '../../platform/contract/scalars.ts';
import { atPlatformTime } from '../../platform/replies/index.ts';
import { defineCommand, type FlagsOf } from '../command.ts';
import { appsArgument } from '../flags/app.ts';
import { chartPageFlag, saveChartPage } from '../flags/chart-page.ts';
import { resolveRange } from '../flags/list.ts';
import { durationFlag, type TimeFromNow, timeFlag } from '../flags/values.ts';
import { afterEvents, anything, document, number, passThrough, text } from '../result-schema.ts';
import { appFigures, liveFields, liveView } from '../views/live-figures.ts';
import { type Measured, measuredReport, measuredView } from '../views/measured.ts';

export default defineCommand({
  configure: metricsFlags,
  flagRules: { requires: { for: ['live'], timeout: ['until'] }, excludes: { live: ['until'] } },
  run: async (context, app, { live, for: forMs, ...flags }): Promise<Result> => {
    if (live) return runTop(context, { app, everyMs: leastIntervalMs, forMs });
    if (app === undefined) throw new UsageError('metrics of all apps are shown live', { retryWith: ['--live'] });
    if (flags.until?.conditions.length) return waitFor(context, app, flags.until.conditions, flags.timeout);
    if (flags.timeout !== undefined) throw new UsageError("--timeout needs a condition, such as --until 'p90>5s'");
    const ranged = { ...flags, until: flags.until?.time };
    return readMeasured(context, app, ranged);
  },
  view: (value, flags) => (page) => {
    if (isFrame(value)) return liveView(value)(page);
    if (isMet(value)) return metView(value)(page);
    const ranged = { ...flags, until: flags.until?.time };
    return measuredView(measuredOf(value, flags), resolveRange(ranged, page.now))(page);
  },
  data: (value) => {
    if (!isFrame(value)) return value;
    const { at, project, apps, failures, problem } = value;
    return { at, project, apps, failures, problem };
  },
  effect: 'reads',
  live: true,
  exits: ['pending'],
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
    'metrics web --container p-123-web-6f-1',
    'metrics web --since 30d --html resources.html',
  ],
});

type MetricsReply = ResourceMetrics & StartupTimes;
type Result = MetricsReply | MetCondition | ReturnType<typeof runTop>;

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

function waitFor(context: Context, app: string, conditions: Condition[], timeoutMs = hourMs) {
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

type MetricsFlags = FlagsOf<typeof metricsFlags>;
type RangedFlags = Omit<MetricsFlags, 'until'> & { until: TimeFromNow | undefined };

async function readMeasured(context: Context, app: string, flags: RangedFlags): Promise<MetricsReply> {
  const { api, project, progress } = context;
  const { startup } = flags;
  const reply: MetricsReply = await atPlatformTime(context, async (now): Promise<MetricsReply> => {
    const query = await metricsQuery(context, app, flags, now);
    return startup ? api(getStartupTimes, { project, app, query }) : api(getResourceMetrics, { project, app, query });
  });
  const report = measuredReport(measuredOf(reply, flags), resolveRange(flags, context.platformNow()));
  const problem = startup && startupProblem(reply);
  const nothing = startup ? 'no starts' : 'nothing was measured';
  if (problem) progress.warn(problem);
  else if (report.rows.length === 0) progress.note(`${nothing} in this time; pass --since to go further back`);
  await saveChartPage(context, flags, `${startup ? 'Start-up times' : 'Resource use'} of ${app}`, () => report);
  return reply;
}

function startupProblem({ status, data }: StartupTimes): string | undefined {
  if (!data) return `the platform returned no data: its status is "${status ?? 'unknown'}"`;
  if (status && status !== 'success') {
    return `the data may be incomplete: the platform's status is "${status}"`;
  }
  return undefined;
}

function metricsFlags(command: Commander) {
  return appsArgument(command, 'live')
    .option('--since <time>', 'start at this time, or this long ago (default: 24h before --until)', timeFlag)
    .option('--until <when>', "end at this time, or wait for a condition: 'p90>5s for 5m'", untilFlag)
    .option('--container <name>', 'only show this container; a part of its name is enough')
    .addOption(command.createOption('--resolution <resolution>', 'number of points').choices(resolutions))
    .option('--startup', 'chart how long replicas take to start')
    .option('--live', 'show figures of the last minute, again and again')
    .option('--for <duration>', 'end after this time', durationFlag)
    .option('--timeout <duration>', 'stop waiting (default: 1h)', durationFlag)
    .option(...chartPageFlag);
}

async function metricsQuery(context: Context, app: string, flags: RangedFlags, now: number) {
  const { since, until } = resolveRange(flags, now);
  const [start, end] = [since, until].map((time) => new Date(time).toISOString());
  const container = flags.container && (await findContainer(context, app, flags.container));
  return { start, end, container_id: container, resolution: flags.resolution };
}

const resourceMetrics = ['cpu', 'memory', 'gpu'] as const;

const resources = {
  // Cores need no unit, which the summary has: nine columns must fit on a terminal.
  cpu: { title: 'CPU', column: 'CPU', unit: 'cores', cell: (value: number) => forPeople(amountText(value), value) },
  memory: { title: 'memory', column: 'MEM', unit: 'GB', cell: gigabytes },
  gpu: { title: 'GPU memory', column: 'GPU', unit: 'GB', cell: gigabytes },
} as const;

function gigabytes(value: number): Cell {
  return forPeople(valueText(value, 'GB'), value);
}

function measuredOf(reply: MetricsReply, { startup }: Pick<MetricsFlags, 'startup'>) {
  return startup ? startupTimes(reply) : resourceUse(reply);
}

/** The charts of a reply have the same times. */
function resourceUse(reply: ResourceMetrics): Measured {
  const timestamps = resourceMetrics.map((metric) => reply[metric]?.timestamps).find((times) => times?.length) ?? [];
  const charts = resourceMetrics.map((metric) => {
    const { title, ...chart } = resources[metric];
    const series = (reply[metric]?.series ?? []).map(({ name, data }) => ({ name, values: data ?? [] }));
    const values = series.flatMap((each) => each.values.filter((value) => value !== null));
    // `peak CPU 1.2 cores`; an app without a GPU has none.
    const peak = values.length > 0 ? [`peak ${title} ${valueText(maximum(values), chart.unit)}`] : [];
    return { ...chart, title: `${title} in ${chart.unit}`, series, peak };
  });
  return {
    summary: charts.flatMap(({ peak }) => peak).join(', '),
    times: timestamps.map((timestamp) => (timestamp === null ? Number.NaN : unixTime(timestamp))),
    charts,
  };
}

function startupTimes({ data }: StartupTimes): Measured {
  const points = data?.time_series ?? [];
  const runs = data?.total_runs;
  const series = (['p50', 'p90', 'p99'] as const).map((name) => {
    const values = points.map(({ [name]: seconds }) =>
      typeof seconds === 'number' ? Math.round(seconds * 1000) : null,
    );
    return { name, values };
  });
  return {
    summary: typeof runs === 'number' ? count(runs, 'run') : '',
    times: points.map(({ timestamp }) => timestamp * 1000),
    charts: [{ title: 'start-up time', column: '', unit: 'ms', cell: durationCell, series }],
  };
}
