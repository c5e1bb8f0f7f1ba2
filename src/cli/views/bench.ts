import type { BenchReport, BenchSecond, BenchStep, CallParts } from '../../insight/bench/index.ts';
import type { ChartReport } from '../../kernel/output/chart/model.ts';
import { count, countCell, dollars, duration, groupDigits } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Cell, type Columns, stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { localTimeZone } from '../../kernel/output/time-zone.ts';

/** A row for each rate, and where the app breaks; off a terminal the rows. */
export function benchView(report: BenchReport): View {
  const { steps } = report;
  const rows = table(steps, columns, { keep: ['RATE', 'OK', 'P50', 'P99'], right: numbers });
  return (page) => {
    if (!page.terminal) return rows(page);
    return stackViews(
      rows,
      failuresView(steps),
      conclusions(report).map((line) => wrapped(() => line)),
    )(page);
  };
}

/** Calls and durations, second by second. */
export function benchReport(report: BenchReport): ChartReport<BenchStep> {
  const { seconds, steps, app } = report;
  return {
    summary: [`${app}: ${steps.map(({ rate }) => rateText(rate)).join(', ')}`, ...conclusions(report)],
    rows: steps,
    columns: pageColumns,
    chart: {
      step: 'second',
      zone: localTimeZone(),
      times: seconds.map(({ at }) => at),
      panels: [
        {
          title: 'calls',
          kind: 'bars',
          unit: 'count',
          series: [
            { name: 'calls', values: seconds.map(({ calls }) => calls) },
            { name: 'failed', values: seconds.map(({ failed }) => failed) },
          ],
        },
        {
          title: 'response time',
          kind: 'lines',
          unit: 'ms',
          series: [
            { name: 'p50', values: seconds.map((second: BenchSecond) => second.p50Ms) },
            { name: 'p99', values: seconds.map((second: BenchSecond) => second.p99Ms) },
          ],
        },
      ],
    },
  };
}

const columns = {
  RATE: ({ rate }: BenchStep) => numberOr(rate, rateText),
  OK: ({ succeeded, calls }: BenchStep) => numberOr(share(succeeded, calls), percent),
  P50: ({ p50Ms }: BenchStep) => numberOr(p50Ms, duration),
  P99: ({ p99Ms }: BenchStep) => numberOr(p99Ms, duration),
  QUEUE: ({ parts }: BenchStep) => part(parts, 'queueMs'),
  COLD: ({ parts }: BenchStep) => part(parts, 'coldMs'),
  APP: ({ parts }: BenchStep) => part(parts, 'appMs'),
  LINE: ({ parts }: BenchStep) => part(parts, 'lineMs'),
  REPLICAS: ({ replicas }: BenchStep) => (replicas === null ? '' : countCell(replicas)),
  'PER 1,000': ({ centsPerThousand }: BenchStep) => numberOr(centsPerThousand, dollars),
  CALLS: ({ calls }: BenchStep) => countCell(calls),
};

const numbers = Object.keys(columns) as (keyof typeof columns)[];

/** For the page, whose cells are texts. */
const pageColumns: Columns<BenchStep> = {
  RATE: ({ rate }) => rateText(rate),
  OK: ({ succeeded, calls }) => percent(share(succeeded, calls)),
  P50: ({ p50Ms }) => textOr(p50Ms, duration),
  P99: ({ p99Ms }) => textOr(p99Ms, duration),
  QUEUE: ({ parts }) => textOr(parts?.queueMs ?? null, duration),
  COLD: ({ parts }) => textOr(parts?.coldMs ?? null, duration),
  APP: ({ parts }) => textOr(parts?.appMs ?? null, duration),
  LINE: ({ parts }) => textOr(parts?.lineMs ?? null, duration),
  REPLICAS: ({ replicas }) => replicas,
  'PER 1,000': ({ centsPerThousand }) => textOr(centsPerThousand, dollars),
};

function failuresView(steps: readonly BenchStep[]): View | undefined {
  const rows = steps.flatMap(({ rate, failures }) => failures.slice(0, 3).map((failure) => ({ rate, ...failure })));
  if (rows.length === 0) return undefined;
  return table(rows, {
    RATE: ({ rate }) => rateText(rate),
    FAILED: ({ calls }) => countCell(calls),
    WHY: ({ what }) => what,
  });
}

function conclusions(report: BenchReport): string[] {
  const { calls, found, costCents, budgetCents, stoppedBy, steps, unfinished } = report;
  const goOn = unfinished > 0 ? ` and ${count(unfinished, 'call')} that may go on` : '';
  const cost = costCents === null ? 'Cost: not known' : `Cost: about ${dollars(costCents)}, with the cooldown${goOn}`;
  const parts = steps.some((step) => step.parts)
    ? ['queue, cold, app and line are averages that add up to the average response time.']
    : [];
  return [
    limitText(report),
    [`${groupDigits(found)} of ${count(calls, 'call')} found in the runs of the platform;`, ...parts]
      .join(' ')
      .replace(/;$/, '.'),
    `${cost}.`,
    ...(stoppedBy === 'budget' ? [`Stopped by the budget of ${dollars(budgetCents ?? 0)}.`] : []),
  ];
}

/** `Holds 8/s, breaks at 10/s. 4 replicas x 2 at once / 720 ms = 11/s.` */
function limitText({ holds, breaksAt, allows, steps }: BenchReport): string {
  const [first] = steps;
  if (!first) return 'No calls were made.';
  const parts = [
    ...(holds === null ? [] : [`holds ${rateText(holds)}`]),
    ...(breaksAt === null ? ['no limit found'] : [`breaks at ${rateText(breaksAt)}`]),
  ];
  const model = allows
    ? ` ${count(allows.replicas, 'replica')} x ${allows.concurrency} at once / ${duration(allows.appMs)} = ${rateText(Number(allows.rate.toPrecision(2)))}.`
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
  return numberOr(parts && Math.max(0, parts[name]), duration);
}

/** A plain number off a terminal. */
function numberOr(value: number | null, text: (value: number) => string): Cell {
  if (value === null) return '';
  return ({ terminal }) => (terminal ? text(value) : String(Number(value.toPrecision(6))));
}

function textOr(value: number | null, text: (value: number) => string): string {
  return value === null ? 'not known' : text(value);
}
