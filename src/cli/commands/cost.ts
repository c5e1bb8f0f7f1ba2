import { type AppCostReport, type CostReport, type DayCost, readCost, wasteFields } from '../../insight/cost/index.ts';
import { CommandLine, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { type ChartReport, panelOf } from '../../kernel/output/chart/model.ts';
import {
  ago,
  count,
  countCell,
  dollars,
  duration,
  forPeople,
  numberCell,
  withUnit,
} from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { type Cell, keyValueTable, onTerminal, stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { defineCommand } from '../command.ts';
import { appsArgument } from '../flags/app.ts';
import { chartPageFlag, saveChartPage } from '../flags/chart-page.ts';
import { dayFlag } from '../flags/values.ts';
import { anything, document, integer, list, nullable, number, objects, orNull, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    appsArgument(command)
      .option('--since <time>', 'first day, such as 2026-11-20 or 7d (default: first of the month)', dayFlag)
      .option('--until <time>', 'last day (default: today)', dayFlag)
      .addOption(command.createOption('--by <size>', 'a row for each day').choices(['day'] as const))
      .option(...chartPageFlag),
  run: async (context, app, flags) => {
    const { since, until } = flags;
    const report = await readCost(context, { app, since, until });
    await saveChartPage(context, flags, app === undefined ? 'Cost' : `Cost of ${app}`, () => costReport(report));
    return report;
  },
  view: costView,
  effect: 'reads',
  json: document({
    project: text('project'),
    since: text('first day, in UTC'),
    until: text('last day, in UTC'),
    totalCents: nullable(number('cost of the apps whose cost is known, in US cents'), 'none is'),
    unknown: list(text('app'), 'apps whose cost is not known'),
    apps: objects('apps, the most expensive first', {
      app: text('app'),
      costCents: nullable(number('cost in US cents'), 'not known'),
      centsPerSecond: nullable(number('price of a replica in US cents per second'), 'not known'),
      replicaSeconds: nullable(number('how long replicas lived'), 'not known'),
      busySeconds: nullable(number('how long they ran calls'), 'not known'),
      idleSeconds: nullable(number('the rest'), 'not known'),
      idleCents: nullable(number('what the rest cost'), 'not known'),
      estimate: nullable(text('why how long replicas lived is an estimate by the calls'), 'it was paid for'),
      calls: integer('number of calls'),
      coldStarts: integer('calls that waited for a replica to start'),
      coldStartMs: nullable(number('how long, the median; null without one')),
      lastCallAt: nullable(text('RFC 3339, UTC; null without a call')),
      days: objects('days, oldest first', {
        date: text('day, in UTC'),
        costCents: nullable(number('cost in US cents'), 'not known'),
        calls: integer('number of calls'),
        coldStarts: integer('calls that waited for a replica to start'),
        busySeconds: number('how long replicas ran calls'),
      }),
      waste: orNull('replicas that nobody needed; null if there is no waste', wasteFields),
    }),
    summary: anything('cost and usage of the project; platform values, passed through'),
    coupons: anything('coupons; platform values, passed through'),
  }),
  details: ['Waste is idle time that one change of the scaling would have saved.'],
  examples: ['cost', 'cost web --since 7d --by day', 'cost --html cost.html', 'cost --html'],
});

/** What apps cost, what for, and the commands that end waste; off a terminal a line for each app or day. */
function costView(report: CostReport, { by }: { by?: 'day' | undefined }): View {
  const { apps } = report;
  const [only] = apps;
  const main = apps.length === 1 && only ? appFacts(only) : appsTable(report);
  const days = table(daysOf(apps), ['DATE', 'COST'], dayColumns);
  const headed = [wrapped(headline(report)), ...(by === 'day' ? [days] : []), main, wasteText(apps)];
  return onTerminal(stackViews(headed, couponText(report)), by === 'day' ? days : main);
}

function costReport(report: CostReport): ChartReport<DayCost> {
  const { apps } = report;
  const days = daysOf(apps);
  const [first, ...others] = apps;
  const price = first && others.length === 0 && first.idleCents !== null ? first.centsPerSecond : undefined;
  const idle = ({ costCents, busySeconds }: DayCost) =>
    price && costCents !== null ? Math.max(0, costCents - price * busySeconds) / 100 : null;
  return {
    summary: [
      headline(report),
      ...apps.flatMap(({ app, waste }) =>
        waste ? [`${app}: ${waste.why}; ${waste.advice}. ${new CommandLine(waste.argv)}`] : [],
      ),
    ],
    rows: days.toReversed(),
    columns: dayColumns,
    chart: {
      step: 'day',
      zone: 'UTC',
      times: days.map(({ date }) => Date.parse(date)),
      panels: [
        panelOf('cost', 'bars', 'USD', {
          cost: days.map(({ costCents }) => (costCents === null ? null : costCents / 100)),
          ...(price && { idle: days.map(idle) }),
        }),
        panelOf('calls', 'bars', 'count', {
          calls: days.map(({ calls }) => calls),
          'cold starts': days.map(({ coldStarts }) => coldStarts),
        }),
      ],
    },
  };
}

function headline({ project, apps, since, until, totalCents, unknown }: CostReport): string {
  const what = apps.length === 1 ? apps[0]?.app : `${count(apps.length, 'app')} of ${project}`;
  const cost = totalCents === null ? 'a cost that is not known' : dollars(totalCents);
  const more = totalCents !== null && unknown.length > 0 ? `, and ${unknown.join(', ')}: not known` : '';
  return `${what}: ${cost}${more}, ${since} to ${until} (UTC)`;
}

function appFacts(app: AppCostReport): View {
  const { costCents, centsPerSecond, replicaSeconds, busySeconds, idleSeconds, idleCents, calls, coldStarts } = app;
  return keyValueTable([
    ['cost', money(costCents)],
    ['price', known(centsPerSecond, (cents) => `${dollars(3600 * cents)} an hour for each replica`)],
    ['replica time', time(replicaSeconds)],
    ['busy', withShare(time(busySeconds), share(busySeconds, replicaSeconds))],
    ['idle', withShare(time(idleSeconds), idleCents === null ? undefined : dollars(idleCents))],
    ['calls', countCell(calls)],
    ['calls with a cold start', withShare(countCell(coldStarts), coldText(app))],
    ['last call', app.lastCallAt === null ? 'none in this period' : ago(app.lastCallAt)],
  ]);
}

function appsTable({ apps }: CostReport): View {
  const columns = {
    APP: ({ app }: AppCostReport) => app,
    COST: ({ costCents }: AppCostReport) => money(costCents),
    CALLS: ({ calls }: AppCostReport) => countCell(calls),
    BUSY: ({ busySeconds, replicaSeconds }: AppCostReport) =>
      known(replicaSeconds, (whole) => numberCell(share(busySeconds, whole) ?? '')),
    IDLE: ({ idleCents, replicaSeconds }: AppCostReport) =>
      idleCents === null && replicaSeconds !== null ? '' : money(idleCents),
    'COLD STARTS': ({ coldStarts }: AppCostReport) => countCell(coldStarts),
  };
  const piped = table(apps, [], { ...columns, WASTE: ({ waste }) => waste && String(new CommandLine(waste.argv)) });
  return onTerminal(table(apps, ['APP', 'COST', 'BUSY'], columns), piped);
}

/** The command on a line of its own, to be copied. */
function wasteText(apps: readonly AppCostReport[]): View {
  const wasteful = apps.flatMap(({ app, waste }) => (waste ? [{ app, waste }] : []));
  return (page) =>
    wasteful
      .map(({ app, waste }) => {
        // Cheaper, but not better for those who call it.
        const isSlower = waste.moreColdStarts !== 0 && waste.advice !== '';
        const slower = isSlower && sentence`how long callers wait then: ${gantryCommand`apps tune ${app}`}`;
        const text = [`${app}: ${waste.why}`, waste.advice, slower].filter(Boolean).join('; ');
        return [wrapped(text)(page), `  ${page.style.bold(String(new CommandLine(waste.argv)))}`].join('\n');
      })
      .join('\n');
}

/** Only some of the fields are known (docs/platform.md#costs-and-invoices). */
function couponText({ coupons }: CostReport): string | undefined {
  const left = (coupons ?? []).map((coupon) => (coupon as Record<string, unknown> | null)?.amount_cents_remaining);
  const amounts = left.filter((cents) => typeof cents === 'number');
  return amounts.length > 0 ? `coupons: ${dollars(amounts.reduce((sum, cents) => sum + cents, 0))} left` : undefined;
}

function daysOf(apps: readonly AppCostReport[]): DayCost[] {
  const [first, ...others] = apps;
  return (first?.days ?? []).map((day, index) => others.reduce((sum, { days }) => addDay(sum, days[index]), day));
}

/** A sum with what is not known is not known. */
function addDay(day: DayCost, other: DayCost | undefined): DayCost {
  if (!other) return day;
  return {
    date: day.date,
    costCents: day.costCents === null || other.costCents === null ? null : day.costCents + other.costCents,
    calls: day.calls + other.calls,
    coldStarts: day.coldStarts + other.coldStarts,
    busySeconds: day.busySeconds + other.busySeconds,
  };
}

const dayColumns = {
  DATE: ({ date }: DayCost) => date,
  COST: ({ costCents }: DayCost) => money(costCents),
  CALLS: ({ calls }: DayCost) => countCell(calls),
  'COLD STARTS': ({ coldStarts }: DayCost) => countCell(coldStarts),
  BUSY: ({ busySeconds }: DayCost) => time(busySeconds),
};

function known(value: number | null, toCell: (value: number) => Cell): Cell {
  return value === null ? 'not known' : toCell(value);
}

function money(cost: number | null): Cell {
  return known(cost, (cents) => numberCell(dollars(cents)));
}

function time(span: number | null): Cell {
  return known(span, (seconds) => withUnit('s', forPeople(duration(seconds * 1000), Number(seconds.toFixed(3)))));
}

function withShare(cell: Cell, more: string | undefined): Cell {
  if (typeof cell !== 'function') return cell;
  return Object.assign((page: Page) => (page.terminal && more ? `${cell(page)}, ${more}` : cell(page)), cell);
}

function share(part: number | null, whole: number | null): string | undefined {
  return part === null || !whole ? undefined : `${((100 * Math.min(part, whole)) / whole).toFixed(1)} %`;
}

function coldText({ calls, coldStarts, coldStartMs }: AppCostReport): string | undefined {
  if (coldStartMs === null) return undefined;
  return `${share(coldStarts, calls)} of the calls, ${duration(coldStartMs)} at the median`;
}
