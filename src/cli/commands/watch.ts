import { figureNames, figureText, type MetCondition, parseCondition, watchApp } from '../../insight/monitor/index.ts';
import { platformExits, UsageError } from '../../kernel/errors.ts';
import { duration } from '../../kernel/output/format.ts';
import { keyValueTable } from '../../kernel/output/table.ts';
import { defineCommand } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { durationFlag, repeatableFlag } from '../flags/values.ts';
import { document, number, text } from '../result-schema.ts';
import { appFigures } from '../views/app-figures.ts';

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .requiredOption(
        '--until <condition>',
        "such as 'p90>5s for 5m'; repeatable: the first that holds",
        repeatableFlag,
      )
      .option('--timeout <duration>', 'stop waiting after this time (default: 1h)', durationFlag),
  run: (context, app, { until, timeout: timeoutMs = 3_600_000 }) => {
    const conditions = until.map(parseCondition);
    const longest = conditions.find(({ forMs }) => forMs > timeoutMs);
    if (longest) {
      throw new UsageError(`--timeout ${duration(timeoutMs)} is shorter than "${longest.text}"`, {
        fix: `--timeout ${Math.ceil((2 * longest.forMs) / 60_000)}m`,
      });
    }
    return watchApp(context, { app, conditions, timeoutMs });
  },
  view: (met) =>
    keyValueTable([
      ['app', met.app],
      ['condition', met.condition],
      ['value', ({ terminal }) => (terminal ? shown(met) : String(met.value))],
      ['waited', ({ terminal }) => (terminal ? duration(met.waitedMs) : String(met.waitedMs))],
    ]),
  effect: 'reads',
  exits: [...platformExits, 'pending'],
  json: document({
    app: text('app name'),
    condition: text('the condition that has held, as it was typed'),
    value: number('the figure: in ms, percent, or a number'),
    heldMs: number('how long it has held, in ms'),
    waitedMs: number('how long it took, in ms'),
    figures: appFigures,
  }),
  details: [
    `A condition is a figure of the last minute, > >= < or <=, a bound, and how long it has to hold. It shows a change within a minute and a quarter. Figures: ${figureNames.join(', ')}; errors in percent, cold as cold starts a minute, rate as calls a second.`,
    'Exits with 0 when a condition has held, and with 8 at the time limit: also if nobody called the app, because then no response time is known.',
    'To run an app again when a file changes, use gantry dev.',
  ],
  examples: [
    "watch web --until 'p90>5s for 5m'",
    "watch web --until 'errors>1%' --until 'queue>10 for 1m' --timeout 30m",
  ],
});

function shown({ condition, value }: MetCondition): string {
  return figureText(parseCondition(condition), value);
}
