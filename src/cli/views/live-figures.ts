import { type AppFigures, failedCallsFields, type TopFrame } from '../../insight/monitor/index.ts';
import {
  count,
  cutText,
  dollars,
  duration,
  figureCell,
  forPeople,
  groupDigits,
  localTime,
  numberCell,
  percent,
  shortBuild,
} from '../../kernel/output/format.ts';
import type { Page, View } from '../../kernel/output/page.ts';
import { onTerminal, table } from '../../kernel/output/table.ts';
import { integer, list, nullable, number, object, objects, text } from '../result-schema.ts';

export const appFigures = object('the figures of an app', {
  app: text('app'),
  at: nullable(text('when its runs were read: RFC 3339, UTC'), 'they were not'),
  replicas: nullable(integer('replicas that run'), 'not known'),
  maxReplicas: nullable(integer('replicas that it may have'), 'not known'),
  builds: objects('builds that run', { build: text('build id'), replicas: integer('number of replicas') }),
  callsPerSecond: nullable(number('calls of the last minute, a second'), 'not known'),
  p50Ms: nullable(number('response time of calls that ended in the last minute, in ms; null without one')),
  p90Ms: nullable(number('the same, 90th percentile')),
  p95Ms: nullable(number('the same, 95th percentile')),
  p99Ms: nullable(number('the same, 99th percentile')),
  errorShare: nullable(number('share of these that failed, from 0 to 1; null without one')),
  queued: nullable(integer('calls in flight beyond what the replicas take at once'), 'not known'),
  coldStartsPerMinute: nullable(number('calls that waited for a replica to start'), 'not known'),
  centsPerHour: nullable(number('cost of the replicas that run, in US cents'), 'not known'),
  lastCallAt: nullable(text('RFC 3339, UTC'), 'there was none within the time that was read'),
});

/** What `metrics --live` prints each time. */
export const liveFields = {
  at: text('RFC 3339, UTC'),
  project: text('project'),
  apps: list(appFigures, 'apps, the busiest first'),
  failures: objects(
    'calls that failed with the same status in the last minute, or with no success since; the last first',
    failedCallsFields,
  ),
  problem: nullable(text('why some of it is old'), 'nothing is'),
};

const shownFailures = 3;

/** The apps, the last errors, and what keys do, on a screen; off a terminal a line for each app. */
export function liveView(frame: TopFrame): View {
  const view: View = (page) => {
    if (page.animated) return screen(frame, page);
    return [headline(frame), appsTable(frame.apps, frame)(page), ...failureLines(frame)].join('\n');
  };
  return onTerminal(view, appsTable(frame.apps, frame));
}

function screen(frame: TopFrame, page: Page): string {
  const { style, columns, rows } = page;
  const { apps, problem, hasKeys } = frame;
  const cut = (line: string) => (line.length > columns ? cutText(line, columns - 1) : line);
  const below = [
    ...failureLines(frame),
    ...(problem === null ? [] : [`not all of it is new: ${problem}`]),
    ...(hasKeys ? ['[q] quit  [j] [k] select  [l] log'] : []),
  ].map((line) => style.dim(cut(line)));
  const log = logLines(frame);
  // The title of the table, the headline, and the lines around both.
  const room = Math.max(
    1,
    rows - below.length - 4 - (log.length > 0 ? Math.min(log.length + 1, Math.floor(rows / 2)) : 0),
  );
  const selected = apps.findIndex(({ app }) => app === frame.selected);
  const first = Math.max(0, Math.min(selected - room + 1, apps.length - room));
  const onScreen = apps.slice(first, first + room);
  const more = apps.length > onScreen.length ? [style.dim(`${groupDigits(apps.length - onScreen.length)} more`)] : [];
  const body = apps.length === 0 ? 'no apps yet' : appsTable(onScreen, frame)(page);
  const head = [style.bold(cut(headline(frame))), '', ...body.split('\n'), ...more];
  const left = Math.max(0, rows - head.length - below.length - 1);
  const lines = Math.max(0, left - 1);
  const tail = log.length > 0 ? ['', ...log.slice(-lines).map(cut)] : [];
  const empty = Math.max(1, rows - head.length - tail.length - below.length);
  return [...head, ...tail, ...Array.from({ length: empty }, () => ''), ...below].slice(0, rows).join('\n');
}

function headline({ project, at, apps }: TopFrame): string {
  const prices = apps.map(({ centsPerHour }) => centsPerHour).filter((cents) => cents !== null);
  const cost = prices.length > 0 ? `, ${dollars(prices.reduce((sum, cents) => sum + cents, 0))}/h` : '';
  return `${project}  ${localTime(at).slice(11)}  ${count(apps.length, 'app')}${cost}`;
}

/** A line for each app: on a terminal what there is room for, and elsewhere all figures. */
function appsTable(apps: readonly AppFigures[], { selected, at }: TopFrame): View {
  // Zero leaves a cell empty, like what is not known.
  const figure = (value: number | null, text: (value: number) => string) =>
    figureCell(value, (amount) => (amount === 0 ? '' : text(amount)));
  return table(apps, ['APP', 'REPLICAS', 'RATE', 'P90', 'QUEUE', 'COST'], {
    AT: () => forPeople('', at),
    APP: ({ app }) => forPeople(selected === null ? app : `${app === selected ? '>' : ' '} ${app}`, app),
    REPLICAS: ({ replicas, maxReplicas: most }) =>
      replicas !== null && forPeople(most === null ? `${replicas}` : `${replicas}/${most}`, replicas),
    MAX: ({ maxReplicas }) => forPeople('', maxReplicas),
    RATE: ({ callsPerSecond }) => figure(callsPerSecond, rateText),
    P50: ({ p50Ms }) => figure(p50Ms, () => ''),
    P90: ({ p90Ms }) => figure(p90Ms, duration),
    P99: ({ p99Ms }) => figure(p99Ms, () => ''),
    QUEUE: ({ queued }) => figure(queued, String),
    COLD: ({ coldStartsPerMinute }) => figure(coldStartsPerMinute, (cold) => `${Number(cold.toPrecision(2))}/min`),
    ERRORS: ({ errorShare }) => figure(errorShare, percent),
    COST: ({ centsPerHour }) => centsPerHour !== null && numberCell(`${dollars(centsPerHour)}/h`),
    BUILD: (app) => forPeople(buildText(app, at), app.builds.map(({ build }) => build).join(' ')),
  });
}

function buildText({ builds, replicas, lastCallAt }: AppFigures, at: string): string {
  if (builds.length > 0) return builds.map(({ build, replicas }) => `${shortBuild(build)} (${replicas})`).join(', ');
  if (replicas !== 0) return '';
  return lastCallAt === null ? 'asleep' : `asleep ${duration(Date.parse(at) - Date.parse(lastCallAt))}`;
}

function rateText(perSecond: number): string {
  if (perSecond >= 1) return `${Number(perSecond.toPrecision(3))}/s`;
  return `${Number((60 * perSecond).toPrecision(2))}/min`;
}

/** `17:05 web 500 ValueError: boom 42 (14 times)`. */
function failureLines({ failures }: TopFrame): string[] {
  return failures.slice(0, shownFailures).map(({ app, at, statusCode, calls, message }) => {
    const times = calls > 1 ? ` (${groupDigits(calls)} times)` : '';
    return [localTime(at).slice(11, 16), app, statusCode ?? 'failed', message ?? ''].join(' ').trimEnd() + times;
  });
}

function logLines({ log, logOf }: TopFrame): readonly string[] {
  if (logOf === null) return [];
  if (log?.app !== logOf) return [`reading the log of ${logOf}`];
  return log.lines.length > 0 ? log.lines : [`the log of ${logOf} is empty`];
}
