import { InvalidArgumentError } from 'commander';
import { type BenchReport, type BenchStep, type CallParts, runBench } from '../../../insight/bench/index.ts';
import { type ChartReport, panelOf } from '../../../kernel/output/chart/model.ts';
import { count, countCell, dollars, duration, figureCell, groupDigits } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { type Cell, onTerminal, stackViews, table, wrapped } from '../../../kernel/output/table.ts';
import { localTimeZone } from '../../../kernel/wall-clock.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { callFlags } from '../../flags/call.ts';
import { chartPageFlag, saveChartPage } from '../../flags/chart-page.ts';
import { dollarFlag, durationFlag } from '../../flags/values.ts';
import { boolean, choice, document, integer, nullable, number, objects, orNull, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    callFlags(
      appArgument(command.usage('[options] [app] [function] [name=value...]'))
        .argument('[args...]', 'function (default: run), then name=text, name:=json or name=@FILE')
        .option('--rate <rates>', 'calls a second, such as 5,10,20 (default: search for the limit)', ratesFlag)
        .option('--for <duration>', 'how long to call at each rate (default: 30s)', durationFlag)
        .option('--budget <dollars>', 'stop before replicas have cost more', dollarFlag)
        .option('--call-timeout <duration>', 'a call that takes longer has failed (default: 60s)', durationFlag),
    ).option(...chartPageFlag),
  run: async (context, app, args, flags) => {
    const { rate: rates, for: stepMs = 30_000, callTimeout: callTimeoutMs = 60_000, ...call } = flags;
    const report = await runBench(context, { app, args, ...call, rates, stepMs, callTimeoutMs });
    await saveChartPage(context, flags, `Bench of ${report.app}`, () => benchReport(report));
    return report;
  },
  exit: ({ stoppedBy }) => (stoppedBy === 'interrupt' ? 'interrupted' : 'ok'),
  view: benchView,
  data: ({ seconds: _, ...report }) => report,
  effect: 'changes',
  dryRun: true,
  exits: ['build-failed', 'not-ready', 'app-error'],
  json: document({
    app: text('app name'),
    function: text('function or path'),
    steps: objects('one for each rate, in the order of the calls', {
      callsPerSecond: number('rate'),
      calls: integer('calls that were made'),
      succeeded: integer('calls with a status of 2xx'),
      failures: objects('the other calls', { what: text('what happened'), calls: integer('number of calls') }),
      p50Ms: nullable(number('response time in ms, since the call was due; null without a response')),
      p90Ms: nullable(number('the same, 90th percentile')),
      p99Ms: nullable(number('the same, 99th percentile')),
      p999Ms: nullable(number('the same, 99.9th percentile')),
      maxMs: nullable(number('the longest')),
      parts: orNull('of calls that succeeded and have a run; null without any', {
        meanMs: number('average response time in ms: the sum of the others'),
        localMs: number('how late calls left this machine'),
        lineMs: number('on the way, and in what is in front of the app'),
        queueMs: number('waiting for a replica, without its start'),
        coldStartMs: number('waiting for a replica to start'),
        appMs: number('in the app'),
      }),
      coldStarts: nullable(integer('calls that waited for a replica to start'), 'not known'),
      replicas: nullable(integer('replicas that ran calls'), 'not known'),
      centsPerThousand: nullable(number('cost of 1,000 calls at this rate, in US cents'), 'not known'),
      holds: boolean('whether the app kept up'),
      localLimit: nullable(text('why this machine may have been the limit'), 'it was not'),
    }),
    holdsCallsPerSecond: nullable(number('highest rate that the app kept up with'), 'none'),
    breaksCallsPerSecond: nullable(number('lowest rate that it did not keep up with'), 'none'),
    allows: orNull('what the settings allow: replicas x concurrency / time in the app; null if not known', {
      callsPerSecond: number('rate'),
      replicas: integer('max_replicas'),
      concurrency: integer('calls that a replica takes at once'),
      appMs: number('average time of a call in the app'),
    }),
    calls: integer('calls that were made'),
    foundRuns: integer('calls whose run the platform returned'),
    unfinished: integer('calls that got no response in time and may go on in the app'),
    costCents: nullable(number('cost of replicas until their cooldown has passed, in US cents'), 'not known'),
    budgetCents: nullable(number('--budget in US cents; null without it')),
    stoppedBy: nullable(choice(['budget', 'interrupt'], 'why it ended early; null if it did not')),
  }),
  details: [
    'Calls at a fixed rate: a slow app does not slow the test. The cost includes the cooldown of replicas.',
    'Asks before it calls an app of another folder; without a terminal it needs --yes and --budget.',
  ],
  examples: [
    'apps bench',
    'apps bench web predict --rate 5,10,20 --for 60s --budget 0.50',
    'apps bench web --rate 100 --for 10s --html bench.html',
  ],
});

/** `5,10,20` or `0.5`. */
function ratesFlag(value: string): number[] {
  const rates = value.split(',').map((part) => part.trim().replace(/\/s$/, ''));
  const isRate = (part: string) => /^\d+(\.\d+)?$/.test(part) && Number(part) > 0 && Number(part) <= 10_000;
  if (!rates.every(isRate)) throw new InvalidArgumentError('Expected calls a second, such as 5 or 5,10,20.');
  return rates.map(Number);
}
ratesFlag.valueKind = 'list';

/** A row for each rate, and where the app breaks; off a terminal the rows. */
function benchView(report: BenchReport): View {
  const { steps } = report;
  const rows = table(steps, ['RATE', 'OK', 'P50', 'P99'], columns);
  const said = conclusions(report).map((line) => wrapped(line));
  return onTerminal(stackViews(rows, failuresView(steps), said), rows);
}

function benchReport(report: BenchReport): ChartReport<BenchStep> {
  const { seconds, steps, app } = report;
  return {
    summary: [
      `${app}: ${steps.map(({ callsPerSecond }) => rateText(callsPerSecond)).join(', ')}`,
      ...conclusions(report),
    ],
    rows: steps,
    columns,
    chart: {
      step: 'second',
      zone: localTimeZone(),
      times: seconds.map(({ at }) => at),
      panels: [
        panelOf('calls', 'bars', 'count', {
          calls: seconds.map(({ calls }) => calls),
          failed: seconds.map(({ failed }) => failed),
        }),
        panelOf('response time', 'lines', 'ms', {
          p50: seconds.map(({ p50Ms }) => p50Ms),
          p99: seconds.map(({ p99Ms }) => p99Ms),
        }),
      ],
    },
  };
}

const columns = {
  RATE: ({ callsPerSecond }: BenchStep) => figureCell(callsPerSecond, rateText),
  OK: ({ succeeded, calls }: BenchStep) => figureCell(share(succeeded, calls), percent),
  P50: ({ p50Ms }: BenchStep) => figureCell(p50Ms, duration),
  P99: ({ p99Ms }: BenchStep) => figureCell(p99Ms, duration),
  QUEUE: ({ parts }: BenchStep) => part(parts, 'queueMs'),
  COLD: ({ parts }: BenchStep) => part(parts, 'coldStartMs'),
  APP: ({ parts }: BenchStep) => part(parts, 'appMs'),
  LINE: ({ parts }: BenchStep) => part(parts, 'lineMs'),
  REPLICAS: ({ replicas }: BenchStep) => (replicas === null ? '' : countCell(replicas)),
  'PER 1,000': ({ centsPerThousand }: BenchStep) => figureCell(centsPerThousand, dollars),
  CALLS: ({ calls }: BenchStep) => countCell(calls),
};

function failuresView(steps: readonly BenchStep[]): View | undefined {
  const rows = steps.flatMap(({ callsPerSecond: rate, failures }) =>
    failures.slice(0, 3).map((failure) => ({ rate, ...failure })),
  );
  if (rows.length === 0) return undefined;
  return table(rows, [], {
    RATE: ({ rate }) => rateText(rate),
    FAILED: ({ calls }) => countCell(calls),
    WHY: ({ what }) => what,
  });
}

function conclusions(report: BenchReport): string[] {
  const { calls, foundRuns, costCents, budgetCents, stoppedBy, steps, unfinished } = report;
  const goOn = unfinished > 0 ? ` and ${count(unfinished, 'call')} that may go on` : '';
  const cost = costCents === null ? 'Cost: not known' : `Cost: about ${dollars(costCents)}, with the cooldown${goOn}`;
  const parts = steps.some((step) => step.parts)
    ? ['queue, cold, app and line are averages that add up to the average response time.']
    : [];
  return [
    limitText(report),
    [`${groupDigits(foundRuns)} of ${count(calls, 'call')} found in the runs of the platform;`, ...parts]
      .join(' ')
      .replace(/;$/, '.'),
    `${cost}.`,
    ...(stoppedBy === 'budget' ? [`Stopped by the budget of ${dollars(budgetCents ?? 0)}.`] : []),
  ];
}

/** `Holds 8/s, breaks at 10/s. 4 replicas x 2 at once / 720 ms = 11/s.` */
function limitText({ holdsCallsPerSecond: holds, breaksCallsPerSecond: breaksAt, allows, steps }: BenchReport): string {
  const [first] = steps;
  if (!first) return 'No calls were made.';
  const parts = [
    ...(holds === null ? [] : [`holds ${rateText(holds)}`]),
    ...(breaksAt === null ? ['no limit found'] : [`breaks at ${rateText(breaksAt)}`]),
  ];
  const model = allows
    ? ` ${count(allows.replicas, 'replica')} x ${allows.concurrency} at once / ${duration(allows.appMs)} = ${rateText(Number(allows.callsPerSecond.toPrecision(2)))}.`
    : '';
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.${model}`;
}

function rateText(rate: number): string {
  return `${rate >= 10 ? groupDigits(Math.round(rate)) : Number(rate.toPrecision(2))}/s`;
}

function percent(part: number): string {
  return part === 1 ? '100 %' : `${(Math.floor(1_000 * part) / 10).toFixed(1)} %`;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function part(parts: CallParts | null, name: keyof CallParts): Cell {
  return figureCell(parts && Math.max(0, parts[name]), duration);
}
