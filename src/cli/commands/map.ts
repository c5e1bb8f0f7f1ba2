import type { Command as Commander } from '@commander-js/extra-typings';
import { Command as DeclaringCommand } from 'commander';
import { failureGroupFields, type MapSummary, mapInputs } from '../../calls/map/index.ts';
import { arrangeCommand, gantryCommand } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { count, countCell, dollars, duration, groupDigits } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { stackViews, table, wrapped } from '../../kernel/output/table.ts';
import { defineCommand, type FlagsOf } from '../command.ts';
import { appArgument } from '../flags/app.ts';
import { dollarFlag, outputFlag, positiveDurationFlag, typedFlags, wholeNumberFlag } from '../flags/values.ts';
import { choice, document, integer, nullable, number, objects, text } from '../result-schema.ts';

export default defineCommand({
  configure: mapFlags,
  flagRules: { requires: { publicUrl: ['async'], port: ['async'], webhookSecretFile: ['async'] } },
  run: (
    context,
    app,
    args,
    { output: results, concurrency, retryFailed, ordered, maxFailures, budget, callTimeout, auth, ...webhook },
  ) => {
    const { port, publicUrl, webhookSecretFile } = webhook;
    const { fn, input } = readArguments(args);
    if (results === '-')
      throw new UsageError('the results are a file, not stdout', { fix: 'name a file: it is read again' });
    return mapInputs(context, {
      app,
      fn,
      input,
      results,
      concurrency,
      maxFailures,
      budget,
      auth,
      retryFailed: retryFailed ?? false,
      ordered: ordered ?? false,
      timeoutMs: callTimeout,
      deliver: webhook.async ? { port, publicUrl, webhookSecretFile } : undefined,
    });
  },
  exit: ({ failed, stoppedBy }) => (stoppedBy === 'budget' ? 'limit' : failed > 0 ? 'app-error' : 'ok'),
  view: mapView,
  next: (summary, { retryFailed, output: _, ...flags }) => [
    ...(summary.pending > 0 ? [{ line: commandLine(summary, flags), when: 'to call the others' }] : []),
    ...(summary.failed > 0 && retryFailed ? [{ line: gantryCommand`logs ${summary.app}`, when: 'to see why' }] : []),
    ...(summary.failed > 0 && !retryFailed
      ? [{ line: commandLine(summary, { ...flags, retryFailed: true }), when: 'to call those that failed again' }]
      : []),
  ],
  json: document({
    app: text('app name'),
    function: text('function'),
    input: text('file of inputs'),
    results: text('file of results'),
    inputs: integer('number of inputs'),
    succeeded: integer('inputs that have succeeded'),
    failed: integer('inputs that have failed'),
    pending: integer('inputs without a result'),
    calls: integer('results that this command added'),
    newFailures: integer('how many of them are failures'),
    refused: integer('how often a call was refused and repeated'),
    durationMs: number('duration, in ms'),
    failures: objects('failures by cause: cause, title, number of inputs, and index and line of the first', {
      ...failureGroupFields,
      line: integer('its line in the file of inputs, from 1'),
    }),
    costCents: nullable(
      number('cost of replicas during the command, and until their cooldown has passed, in US cents'),
      'not known',
    ),
    budgetCents: nullable(number('--budget in US cents; null without it')),
    stoppedBy: nullable(
      choice(['budget', 'failures'], 'what ended it before all inputs had a result; null if nothing'),
    ),
  }),
  effect: 'changes',
  dryRun: true,
  exits: ['build-failed', 'not-ready', 'app-error'],
  details: [
    'Each input gets a line of JSON in the results. Run again to collect or continue; nothing starts twice.',
    '--budget includes the cooldown of replicas. --async is for calls that outlast a connection.',
  ],
  examples: [
    'map web inputs.jsonl -o results.jsonl',
    'map web in.jsonl --async -o out.jsonl --public-url https://a.example',
    'map web predict inputs.csv -o results.jsonl --concurrency 16',
    'map web inputs.jsonl -o results.jsonl --budget 5',
    'map web inputs.jsonl -o results.jsonl --retry-failed --ordered',
  ],
});

function readArguments(args: readonly string[]): { fn: string | undefined; input: string } {
  const [first, second, extra] = args;
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
  if (first === undefined) {
    throw new UsageError('missing argument <inputs>', { fix: 'name a .jsonl or .csv file with one input per line' });
  }
  return second === undefined ? { fn: undefined, input: first } : { fn: first, input: second };
}

function mapFlags(command: Commander) {
  return appArgument(command.usage('[options] [app] [function] <inputs> -o <results>'))
    .argument('[args...]', 'function (default: run), then a .jsonl or .csv file of inputs')
    .requiredOption('-o, --output <file>', 'file for the results; an existing one is continued', outputFlag('results'))
    .option('--concurrency <n>', 'requests in flight (default: adaptive)', wholeNumberFlag(1, 1_024))
    .option('--retry-failed', 'call the inputs again that have failed')
    .option('--ordered', 'sort the results when all are there')
    .option('--max-failures <n>', 'stop after this many failures', wholeNumberFlag(1))
    .option('--budget <dollars>', 'stop before the calls of this command cost more', dollarFlag)
    .option('--call-timeout <duration>', 'limit each call (default: what the app allows)', positiveDurationFlag)
    .option('--async', 'start runs and ask for them, for calls that take long')
    .option('--public-url <url>', 'URL under which the platform reaches --port')
    .option('--port <number>', 'port that receives the results of runs', wholeNumberFlag(0, 65_535))
    .option('--webhook-secret-file <file>', 'sign results with the secret in this file; - is stdin')
    .option('--no-auth', 'send no token, for apps with disable_auth');
}

type MapFlags = FlagsOf<typeof mapFlags>;

/** The command that continues, made as this one was. */
function commandLine({ app, function: fn, input, results: output }: MapSummary, flags: Omit<MapFlags, 'output'>) {
  const { options } = mapFlags(new DeclaringCommand() as Commander);
  const words = [app, ...(fn === 'run' ? [] : [fn]), input].map((text) => ({ text, isValue: true }));
  const typed = typedFlags(options, { ...flags, output }).map((text) => ({ text }));
  return arrangeCommand([{ text: 'map' }, ...words, ...typed]);
}

function mapView(summary: MapSummary, { maxFailures }: Partial<MapFlags>): View {
  const { failures } = summary;
  return stackViews(
    wrapped(`${summaryText(summary)}${stopText(summary, maxFailures)}`),
    failures.length > 0 ? failureTable(failures) : undefined,
  );
}

/** `results.jsonl has results of 100 inputs: 97 succeeded, 3 failed (100 calls in 4.0 s)`. */
function summaryText(summary: MapSummary): string {
  const { results, inputs, succeeded, failed, pending, calls, refused, durationMs } = summary;
  const { costCents } = summary;
  const parts = [
    `${groupDigits(succeeded)} succeeded`,
    ...(failed > 0 ? [`${groupDigits(failed)} failed`] : []),
    ...(pending > 0 ? [`${groupDigits(pending)} not called`] : []),
  ];
  const repeated = refused > 0 ? `; ${groupDigits(refused)} refused and repeated` : '';
  const cost = !costCents ? '' : `, about ${dollars(costCents)} with the cooldown`;
  return `${results}: ${parts.join(', ')} of ${count(inputs, 'input')} (${count(calls, 'call')} in ${duration(durationMs)}${cost}${repeated})`;
}

/** Calls that are in flight when the last failure comes that may be can fail, too. */
function stopText({ stoppedBy, budgetCents, newFailures }: MapSummary, maxFailures = newFailures): string {
  if (stoppedBy === null) return '';
  if (stoppedBy === 'budget') return `; stopped by the budget of ${dollars(budgetCents ?? 0)}`;
  const more = newFailures - maxFailures;
  const inFlight = more === 0 ? '' : `, when ${count(more, 'call')} in flight failed as well`;
  return `; stopped by --max-failures ${maxFailures}${inFlight}`;
}

function failureTable(failures: MapSummary['failures']): View {
  return table(failures, [], {
    FAILED: ({ inputs }) => countCell(inputs),
    'FIRST LINE': ({ line }) => countCell(line),
    CAUSE: ({ title }) => title,
  });
}
