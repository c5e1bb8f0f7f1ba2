import { adviceVerdicts, tuneApp, writeAdvice } from '../../insight/tune/index.ts';
import { CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { chartPageFlags, checkChartPageFlags, saveChartPage } from '../flags/chart-page.ts';
import { serviceLevelFlag } from '../flags/service-level.ts';
import { dollarFlag, timeFlag } from '../flags/values.ts';
import { boolean, choice, document, integer, list, nullable, number, object, text } from '../result-schema.ts';
import { figuresField } from '../views/figure-sources.ts';
import { tuneReport, tuneView } from '../views/tune.ts';

const outcome = {
  minReplicas: integer('min_replicas'),
  maxReplicas: integer('max_replicas'),
  cooldown: number('in seconds'),
  concurrency: integer('replica_concurrency'),
  coldStarts: integer('calls that wait for a replica to start'),
  p50: number('of what callers wait for, in ms'),
  p90: number('in ms'),
  p95: number('in ms'),
  p99: number('in ms'),
  replicaSeconds: number('how long replicas live, in the time that was replayed'),
  monthCents: nullable(number('cost of 30 days in US cents; null if the price is not known')),
};

export default defineCommand({
  configure: (command) =>
    chartPageFlags(
      appArgument(command)
        .option('--since <time>', 'first day to replay, such as 2026-11-01 or 8d (default: 14d)', timeFlag)
        .option('--slo <limit>', "what must hold for the cheapest settings, such as 'p90<6s'", serviceLevelFlag)
        .option(
          '--budget <usd>',
          'what the fastest settings may cost in a month (default: what is paid now)',
          dollarFlag,
        )
        .option('--write', 'write the cheapest settings to cerebrium.toml; with only --budget, the fastest')
        .option('--explain-figures', 'show from which request each figure is, and how it was computed'),
    ),
  run: async (context, app, flags) => {
    checkChartPageFlags(flags);
    const { slo, budget } = flags;
    const options = { app, slo, budgetCents: budget === undefined ? undefined : 100 * budget };
    const read = () => tuneApp(context, { ...options, since: flags.since, explain: flags.explainFigures === true });
    const wanted = slo === undefined && budget !== undefined ? 'fastest' : 'cheapest';
    const { configFile } = flags;
    const advice = flags.write ? await writeAdvice(context, { app, configFile, wanted, read }) : await read();
    const { verdict, reason } = advice;
    if (reason !== '') context.progress.note(verdict === 'advice' ? reason : `no advice, ${verdict}: ${reason}`);
    await saveChartPage(context, flags, `Settings of ${app}`, () => tuneReport(advice));
    return advice;
  },
  view: tuneView,
  next: ({ app, options, written }) => {
    const argv = options.find(({ option }) => option === 'cheapest')?.argv;
    if (written && written.length > 0) return [{ line: gantryCommand`deploy`, when: 'to apply what was written' }];
    return argv
      ? [{ line: new CommandLine(argv), when: 'to apply the cheapest settings' }]
      : [{ line: gantryCommand`cost ${app}`, when: 'to see what is idle' }];
  },
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
    predictionError: nullable(
      object(
        {
          coldStarts: nullable(number('0.04 is 4 % too high; null if not known')),
          p90: nullable(number('the same of the 90th percentile')),
          cost: nullable(number('the same of the bill')),
          days: integer('days that were predicted, each from the others'),
        },
        'how far the prediction of the past is off; null if nothing was predicted',
      ),
    ),
    options: list(
      object({
        option: choice(['now', 'cheapest', 'fastest'], 'which one'),
        within: text('what holds for it'),
        ...outcome,
        argv: nullable(list(text('word'), 'the command that sets it; null if there is nothing to set')),
        advice: text(
          'the change and its price, such as 20m cooldown: p90 5.4 s, +$279 a month; empty without a change',
        ),
        needsDeploy: boolean('whether replica_concurrency changes, which only a deploy can'),
      }),
      'the settings of now, the cheapest that are fast enough, the fastest that are cheap enough; empty without advice',
    ),
    frontier: list(object(outcome), 'settings than which none is both cheaper and faster, the cheapest first'),
    tried: integer('how many settings were replayed'),
    assumptions: list(text('sentence'), 'what the prediction assumes'),
    written: nullable(
      list(
        object({ setting: text('key of cerebrium.toml'), to: number('new value') }),
        'with --write: what was written; null without',
      ),
    ),
    figures: figuresField,
  }),
  details: [
    'Replays the calls of the past with other scaling settings, by the rules that the emulator has for replicas, and shows what they would have meant for cold starts, waits and the bill. It first predicts the past, each day from the others, and prints how far it was off. Fewer than 200 runs are not enough.',
    'Only runs since the last change of the scaling count, as far as it is on record. --write keeps the comments of cerebrium.toml; apps scale changes the app at once.',
  ],
  examples: [
    'tune',
    "tune web --since 8d --slo 'p90<6s'",
    'tune web --budget 700 --html tune.html',
    "tune --slo 'p95<10s' --write",
  ],
});
