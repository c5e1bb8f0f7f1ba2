import type { Advice, AdviceError, Outcome, TunedOption } from '../../insight/tune/index.ts';
import { CommandLine } from '../../kernel/command-line.ts';
import type { Chart, ChartReport } from '../../kernel/output/chart/model.ts';
import { renderChart } from '../../kernel/output/chart/render.ts';
import { count, dollars, duration, groupDigits } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { type Columns, stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { figuresView } from './figure-sources.ts';

/** What other settings would have meant; off a terminal a line for each option. */
export function tuneView(advice: Advice): View {
  const { options, frontier, figures, assumptions } = advice;
  return (page) => {
    if (!page.terminal) return (figures ? figuresView(figures) : table(options, optionColumns))(page);
    return stackViews(
      wrapped(({ style }) =>
        [headline(advice), conclusion(advice) && style.bold(conclusion(advice))].filter(Boolean).join('\n'),
      ),
      optionsTable(
        options.filter((each) => each.option === 'now' || isAdvised(each)),
        advice.calls,
      ),
      commandsView(options),
      frontier.length > 1 ? renderChart(frontierChart(frontier)) : undefined,
      wrapped(() => (assumptions.length > 0 ? `Assumed: ${assumptions.join('; ')}.` : '')),
      figuresView(figures),
    )(page);
  };
}

/** What waiting costs: settings than which none is both cheaper and faster. */
export function tuneReport(advice: Advice): ChartReport<Outcome> {
  return {
    summary: [
      headline(advice),
      conclusion(advice),
      ...advice.options.filter(isAdvised).map((each) => `${each.option} (${each.within}): ${each.advice}`),
      `Assumed: ${advice.assumptions.join('; ')}.`,
    ].filter(Boolean),
    rows: advice.frontier,
    columns: outcomeColumns,
    chart: frontierChart(advice.frontier),
  };
}

function headline({ app, calls, since, until, predictionError, tried }: Advice): string {
  const days = Math.max(1, Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000));
  const replayed = `${app}: ${count(calls, 'run')} in ${count(days, 'day')}`;
  return predictionError
    ? `${replayed}, replayed with ${tried || 1} settings; checked day by day: ${errorText(predictionError)}`
    : replayed;
}

/** `cold starts 8 % low, p90 2 % high, bill not known`. */
function errorText({ coldStarts, p90, cost }: AdviceError): string {
  const off = (share: number | null) => {
    if (share === null) return 'not known';
    const percent = Math.round(100 * Math.abs(share));
    return percent === 0 ? 'exact' : `${percent} % ${share > 0 ? 'high' : 'low'}`;
  };
  return `cold starts ${off(coldStarts)}, p90 ${off(p90)}, bill ${off(cost)}`;
}

/** What was missed is a note of the command. */
function conclusion({ verdict, options }: Advice): string {
  if (verdict !== 'advice') return verdict;
  return options.some(isAdvised) ? '' : 'no other settings are better';
}

function isAdvised({ advice }: TunedOption): boolean {
  return advice !== '';
}

type Row = [name: string, of: (option: TunedOption) => string];

function optionsTable(options: readonly TunedOption[], calls: number): View {
  const share = ({ coldStarts }: Outcome) => `${Number(((100 * coldStarts) / calls).toPrecision(2))} %`;
  const rows: Row[] = [
    ['within', ({ within }) => within],
    ['min / max replicas', ({ minReplicas, maxReplicas }) => `${minReplicas} / ${maxReplicas}`],
    ['cooldown', ({ cooldown }) => duration(1000 * cooldown)],
    ['replica_concurrency', ({ concurrency }) => String(concurrency)],
    ['cold starts', share],
    ['p50', ({ p50 }) => duration(p50)],
    ['p90', ({ p90 }) => duration(p90)],
    ['p99', ({ p99 }) => duration(p99)],
    ['month', monthText],
  ];
  const columns: Columns<Row> = {
    SETTINGS: ([name]) => name,
    ...Object.fromEntries(options.map((option) => [option.option.toUpperCase(), ([, of]: Row) => of(option)])),
  };
  return options.length === 0 ? () => '' : table(rows, columns, { keep: ['SETTINGS', 'NOW', 'CHEAPEST', 'FASTEST'] });
}

/** The price of each, and the command on a line of its own, to be copied. */
function commandsView(options: readonly TunedOption[]): View {
  return ({ style }) =>
    options
      .filter(isAdvised)
      .flatMap(({ option, advice, argv, concurrency, needsDeploy }) => [
        `${option}: ${advice}`,
        ...(argv ? [`  ${style.bold(`${new CommandLine(argv)}`)}`] : []),
        ...(needsDeploy ? [`  replica_concurrency = ${concurrency} needs a deploy (--write)`] : []),
      ])
      .join('\n');
}

function frontierChart(frontier: readonly Outcome[]): Chart {
  const isPriced = frontier.every(({ monthCents }) => monthCents !== null);
  const hours = ({ replicaSeconds }: Outcome) => replicaSeconds / 3600;
  const series = (name: 'p50' | 'p90' | 'p99') => ({ name, values: frontier.map((outcome) => outcome[name]) });
  return {
    times: frontier.map((outcome) => (isPriced ? (outcome.monthCents ?? 0) / 100 : hours(outcome))),
    axis: isPriced ? { title: 'cost of a month', unit: 'USD' } : { title: 'replica hours', unit: 'count' },
    ...{ step: 'setting', zone: 'UTC' },
    panels: [
      {
        title: 'wait',
        kind: 'lines',
        unit: 'ms',
        series: [series('p50'), series('p90'), series('p99')],
      },
    ],
  };
}

function monthText({ monthCents, replicaSeconds }: Outcome): string {
  return monthCents === null ? `${groupDigits(Math.round(replicaSeconds / 3600))} replica hours` : dollars(monthCents);
}

/** For the page and pipes. */
const plain: Columns<Outcome> = {
  'MIN REPLICAS': ({ minReplicas }) => minReplicas,
  'MAX REPLICAS': ({ maxReplicas }) => maxReplicas,
  COOLDOWN: ({ cooldown }) => cooldown,
  CONCURRENCY: ({ concurrency }) => concurrency,
  'COLD STARTS': ({ coldStarts }) => coldStarts,
};

const outcomeColumns: Columns<Outcome> = {
  ...plain,
  COOLDOWN: ({ cooldown }) => duration(1000 * cooldown),
  P50: ({ p50 }) => duration(p50),
  P90: ({ p90 }) => duration(p90),
  P99: ({ p99 }) => duration(p99),
  MONTH: monthText,
};

const optionColumns: Columns<TunedOption> = {
  OPTION: ({ option }) => option,
  ...plain,
  P50: ({ p50 }) => p50,
  P90: ({ p90 }) => p90,
  P99: ({ p99 }) => p99,
  MONTH: ({ monthCents }) => monthCents,
};
