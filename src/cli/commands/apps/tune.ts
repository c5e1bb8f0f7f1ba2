import { InvalidArgumentError } from 'commander';
import {
  type Advice,
  type AdviceError,
  adviceVerdicts,
  type Outcome,
  outcomeFields,
  type ServiceLevel,
  type TunedOption,
  tuneApp,
  tunedOptionFields,
  writeAdvice,
} from '../../../insight/tune/index.ts';
import { CommandLine, gantryCommand } from '../../../kernel/command-line.ts';
import { dayMs } from '../../../kernel/durations.ts';
import { type Chart, type ChartReport, panelOf } from '../../../kernel/output/chart/model.ts';
import { renderChart } from '../../../kernel/output/chart/render.ts';
import { count, dollars, duration, durationCell, forPeople, groupDigits } from '../../../kernel/output/format.ts';
import type { View } from '../../../kernel/output/page.ts';
import { type Columns, onTerminal, stackViews, table, wrapped } from '../../../kernel/output/table.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { chartPageFlag, saveChartPage } from '../../flags/chart-page.ts';
import { dayFlag, dollarFlag, durationFlag } from '../../flags/values.ts';
import { choice, document, integer, list, nullable, number, objects, orNull, text } from '../../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .option('--since <time>', 'first day to replay, such as 2026-11-01 or 8d (default: 14d)', dayFlag)
      .option('--slo <limit>', "what must hold for the cheapest settings, such as 'p90<6s'", serviceLevelFlag)
      .option('--budget <usd>', 'what the settings may cost in a month (default: as now)', dollarFlag)
      .option('--write', 'write the cheapest, or with --budget the fastest, to cerebrium.toml')
      .option(...chartPageFlag),
  run: async (context, app, flags) => {
    const { slo, budget } = flags;
    const options = { app, slo, budgetCents: budget === undefined ? undefined : 100 * budget };
    const read = () => tuneApp(context, { ...options, since: flags.since });
    const wanted = slo === undefined && budget !== undefined ? 'fastest' : 'cheapest';
    const { configFile } = flags;
    const advice = flags.write ? await writeAdvice(context, { app, configFile, wanted, read }) : await read();
    const { verdict, reason } = advice;
    if (reason !== '') context.progress.note(verdict === 'advice' ? reason : `no advice, ${verdict}: ${reason}`);
    await saveChartPage(context, flags, `Settings of ${app}`, () => tuneReport(advice));
    return advice;
  },
  view: tuneView,
  effect: 'changes',
  onlyReads: (_, { write }) => write !== true,
  dryRun: true,
  json: document({
    app: text('app name'),
    since: text('first call that was replayed at, RFC 3339, UTC'),
    until: text('last one'),
    calls: integer('number of calls that were replayed'),
    verdict: choice(adviceVerdicts, 'whether there is advice'),
    reason: text('why there is none, or not all; empty if there is all'),
    predictionError: orNull('how far the prediction of the past is off; null if nothing was predicted', {
      coldStartsShare: nullable(number('0.04 is 4 % too high'), 'not known'),
      p90Share: nullable(number('the same of the 90th percentile')),
      costShare: nullable(number('the same of the bill')),
      days: integer('days that were predicted, each from the others'),
    }),
    options: objects(
      'the settings of now, the cheapest that are fast enough, the fastest that are cheap enough; empty without advice',
      tunedOptionFields,
    ),
    frontier: objects('settings than which none is both cheaper and faster, the cheapest first', outcomeFields),
    tried: integer('how many settings were replayed'),
    assumptions: list(text('sentence'), 'what the prediction assumes'),
    written: nullable(
      objects('with --write: what was written; null without', {
        setting: text('key of cerebrium.toml'),
        to: number('new value'),
      }),
    ),
  }),
  details: [
    'Replays past calls with other settings. The first line says how well it predicts past days.',
    'Fewer than 200 runs are not enough.',
  ],
  examples: [
    'apps tune',
    "apps tune web --since 8d --slo 'p90<6s'",
    'apps tune web --budget 700 --html tune.html',
    "apps tune --slo 'p95<10s' --write",
  ],
});

/** `p90<6s`. */
function serviceLevelFlag(text: string): ServiceLevel {
  const [, quantile, limit] = /^(p50|p90|p95|p99) *< *(\S*[a-z])$/.exec(text) ?? [];
  if (quantile === undefined || limit === undefined) {
    throw new InvalidArgumentError("Expected a percentile and a duration such as 'p90<6s' (p50, p90, p95 or p99).");
  }
  return { quantile: quantile as ServiceLevel['quantile'], ms: durationFlag(limit) };
}

/** What other settings would have meant; off a terminal a line for each option. */
function tuneView(advice: Advice): View {
  const { options, frontier, assumptions } = advice;
  const advised = options.filter((each) => each.option === 'now' || isAdvised(each));
  const report = stackViews(
    wrapped(({ style }) =>
      [headline(advice), conclusion(advice) && style.bold(conclusion(advice))].filter(Boolean).join('\n'),
    ),
    optionsTable(advised, advice.calls),
    commandsView(options),
    frontier.length > 1 ? renderChart(frontierChart(frontier)) : undefined,
    wrapped(assumptions.length > 0 ? `Assumed: ${assumptions.join('; ')}.` : ''),
  );
  return onTerminal(report, table(advised, [], optionColumns));
}

/** What waiting costs: settings than which none is both cheaper and faster. */
function tuneReport(advice: Advice): ChartReport<Outcome> {
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
  const days = Math.max(1, Math.round((Date.parse(until) - Date.parse(since)) / dayMs));
  const replayed = `${app}: ${count(calls, 'run')} in ${count(days, 'day')}`;
  return predictionError
    ? `${replayed}, replayed with ${tried || 1} settings; checked day by day: ${errorText(predictionError)}`
    : replayed;
}

/** `cold starts 8 % low, p90 2 % high, bill not known`. */
function errorText({ coldStartsShare, p90Share, costShare }: AdviceError): string {
  const off = (share: number | null) => {
    if (share === null) return 'not known';
    const percent = Math.round(100 * Math.abs(share));
    return percent === 0 ? 'exact' : `${percent} % ${share > 0 ? 'high' : 'low'}`;
  };
  return `cold starts ${off(coldStartsShare)}, p90 ${off(p90Share)}, bill ${off(costShare)}`;
}

/** What was missed is a note of the command. */
function conclusion({ app, verdict, options, frontier }: Advice): string {
  if (verdict !== 'advice') return verdict;
  if (options.some(isAdvised)) return '';
  const [now] = options;
  const slower = frontier.some(({ replicaSeconds }) => now && replicaSeconds < now.replicaSeconds);
  return `no other settings are better${slower ? `; slower ones are cheaper: ${gantryCommand`cost ${app}`}` : ''}`;
}

function isAdvised({ advice }: TunedOption): boolean {
  return advice !== '';
}

type TunedRow = [name: string, of: (option: TunedOption) => string];

function optionsTable(options: readonly TunedOption[], calls: number): View {
  const share = ({ coldStarts }: Outcome) => `${Number(((100 * coldStarts) / calls).toPrecision(2))} %`;
  const rows: TunedRow[] = [
    ['within', ({ within }) => within],
    ['min / max replicas', ({ minReplicas, maxReplicas }) => `${minReplicas} / ${maxReplicas}`],
    ['cooldown', ({ cooldownSeconds }) => duration(1000 * cooldownSeconds)],
    ['replica_concurrency', ({ concurrency }) => String(concurrency)],
    ['cold starts', share],
    ['p50', ({ p50Ms }) => duration(p50Ms)],
    ['p90', ({ p90Ms }) => duration(p90Ms)],
    ['p99', ({ p99Ms }) => duration(p99Ms)],
    ['month', monthText],
  ];
  const columns: Columns<TunedRow> = {
    SETTINGS: ([name]) => name,
    ...Object.fromEntries(options.map((option) => [option.option.toUpperCase(), ([, of]: TunedRow) => of(option)])),
  };
  return options.length === 0 ? () => '' : table(rows, ['SETTINGS', 'NOW', 'CHEAPEST', 'FASTEST'], columns);
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
  const isPriced = frontier.every(({ centsPerMonth }) => centsPerMonth !== null);
  const hours = ({ replicaSeconds }: Outcome) => replicaSeconds / 3600;
  const values = (name: 'p50' | 'p90' | 'p99') => frontier.map((outcome) => outcome[`${name}Ms`]);
  return {
    times: frontier.map((outcome) => (isPriced ? (outcome.centsPerMonth ?? 0) / 100 : hours(outcome))),
    axis: isPriced ? { title: 'cost of a month', unit: 'USD' } : { title: 'replica hours', unit: 'count' },
    step: 'setting',
    zone: 'UTC',
    panels: [panelOf('wait', 'lines', 'ms', { p50: values('p50'), p90: values('p90'), p99: values('p99') })],
  };
}

function monthText({ centsPerMonth, replicaSeconds }: Outcome): string {
  return centsPerMonth === null
    ? `${groupDigits(Math.round(replicaSeconds / 3600))} replica hours`
    : dollars(centsPerMonth);
}

const outcomeColumns: Columns<Outcome> = {
  'MIN REPLICAS': ({ minReplicas }) => minReplicas,
  'MAX REPLICAS': ({ maxReplicas }) => maxReplicas,
  COOLDOWN: ({ cooldownSeconds: seconds }) => forPeople(duration(1000 * seconds), seconds),
  CONCURRENCY: ({ concurrency }) => concurrency,
  'COLD STARTS': ({ coldStarts }) => coldStarts,
  P50: ({ p50Ms }) => durationCell(p50Ms),
  P90: ({ p90Ms }) => durationCell(p90Ms),
  P99: ({ p99Ms }) => durationCell(p99Ms),
  MONTH: monthText,
};

const optionColumns: Columns<TunedOption> = { OPTION: ({ option }) => option, ...outcomeColumns };
