import { type CostReport, readCost } from '../../insight/cost/index.ts';
import { defineCommand } from '../command.ts';
import { appsArgument, checkApps } from '../flags/app.ts';
import { chartPageFlags, checkChartPageFlags, saveChartPage } from '../flags/chart-page.ts';
import { timeFlag } from '../flags/values.ts';
import { anything, choice, document, integer, list, nullable, number, object, text } from '../result-schema.ts';
import { costReport, costView } from '../views/cost.ts';
import { figuresField } from '../views/figure-sources.ts';

export default defineCommand({
  configure: (command) =>
    chartPageFlags(
      appsArgument(command)
        .option('--since <time>', 'first day, such as 2026-11-20 or 7d (default: first of the month)', timeFlag)
        .option('--until <time>', 'last day (default: today)', timeFlag)
        .addOption(command.createOption('--by <size>', 'a row for each day').choices(['day'] as const))
        .option('--explain-figures', 'show from which request each figure is, and how it was computed'),
    ),
  run: async (context, app, flags) => {
    checkApps(app, flags);
    checkChartPageFlags(flags);
    const { since, until, explainFigures } = flags;
    const report = await readCost(context, { app, since, until, explain: explainFigures === true });
    await saveChartPage(context, flags, app === undefined ? 'Cost' : `Cost of ${app}`, () => costReport(report));
    return report;
  },
  view: (report, { by }) => costView(report, { by }),
  data: ({ apps, ...report }) => ({
    ...report,
    apps: apps.map(({ waste, ...each }) => ({ ...each, waste: waste && wasteDocument(waste) })),
  }),
  effect: 'reads',
  json: document({
    project: text('project'),
    since: text('first day, in UTC'),
    until: text('last day, in UTC'),
    totalCents: nullable(number('cost of the apps whose cost is known, in US cents; null if none is')),
    unknown: list(text('app'), 'apps whose cost is not known'),
    apps: list(
      object({
        app: text('app'),
        costCents: nullable(number('cost in US cents; null if not known')),
        centsPerSecond: nullable(number('price of a replica in US cents per second; null if not known')),
        replicaSeconds: nullable(number('how long replicas lived; null if not known')),
        busySeconds: nullable(number('how long they ran calls; null if not known')),
        idleSeconds: nullable(number('the rest; null if not known')),
        idleCents: nullable(number('what the rest cost; null if not known')),
        calls: integer('number of calls'),
        coldStarts: integer('calls that waited for a replica to start'),
        coldStartMs: nullable(number('how long, the median; null without one')),
        lastCallAt: nullable(text('RFC 3339, UTC; null without a call')),
        days: list(
          object({
            date: text('day, in UTC'),
            costCents: nullable(number('cost in US cents; null if not known')),
            calls: integer('number of calls'),
            coldStarts: integer('calls that waited for a replica to start'),
            busySeconds: number('how long replicas ran calls'),
          }),
          'days, oldest first',
        ),
        waste: nullable(
          object(
            {
              kind: choice(['unused', 'min-replicas', 'cooldown', 'unexplained'], 'what causes it'),
              why: text('the same in words'),
              advice: text(
                'what ends it, with its price, such as 30s cooldown: 12 more cold starts of 9.0 s, -$45 a month',
              ),
              savesCents: nullable(number('what the command would have saved, in US cents; null if not known')),
              savesSeconds: nullable(number('the same as time of replicas; null if not known')),
              since: nullable(
                text('when the settings of now came into force, RFC 3339, UTC; null if before the period'),
              ),
              moreColdStarts: nullable(integer('cold starts that it would have added; null if not known')),
              argv: list(text('word'), 'the command that ends it'),
            },
            'replicas that nobody needed; null if there is no waste',
          ),
        ),
      }),
      'apps, the most expensive first',
    ),
    summary: anything('cost and usage of the project; platform values, passed through'),
    coupons: anything('coupons; platform values, passed through'),
    figures: figuresField,
  }),
  details: [
    "Costs and prices are the platform's; days are in UTC. Busy is the time in which replicas run calls, idle is the rest of what is paid for. Runs are kept on this machine, so that only new ones are read the next time.",
    'Waste is named where replicas were idle for half of the time and one change of the scaling would have saved a quarter. What it saves is estimated from the calls of the period, as far as the settings of now were in force, and not at all if these do not explain the bill.',
  ],
  examples: ['cost', 'cost web --since 7d --by day', 'cost web --explain-figures', 'cost --html cost.html --open'],
});

function wasteDocument({ line, ...waste }: NonNullable<CostReport['apps'][number]['waste']>) {
  return { ...waste, argv: [...line.argv] };
}
