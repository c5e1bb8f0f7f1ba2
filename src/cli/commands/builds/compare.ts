import { fileChangeFields } from '../../../deploys/builds/index.ts';
import { buildVerdicts, compareBuilds } from '../../../insight/compare/index.ts';
import { gantryCommand } from '../../../kernel/command-line.ts';
import { defineCommand } from '../../command.ts';
import { appArgument } from '../../flags/app.ts';
import { chartPageFlag, saveChartPage } from '../../flags/chart-page.ts';
import { timeFlag } from '../../flags/values.ts';
import {
  anything,
  choice,
  document,
  integer,
  list,
  nullable,
  number,
  object,
  objects,
  orNull,
  text,
} from '../../result-schema.ts';
import { compareReport, compareView } from '../../views/compare.ts';

const verdict = choice(buildVerdicts, 'worse, better, no difference, or too few calls to tell');
const build = (which: string) =>
  object(which, {
    build: text('build id'),
    since: text('first call considered at, RFC 3339, UTC'),
    until: text('last one'),
    calls: integer('calls that ended and were not canceled'),
    failed: integer('those that failed'),
    coldStarts: integer('calls that waited for a replica to start'),
  });
const quantiles = object({
  p50Ms: nullable(number('median; null without calls')),
  p90Ms: nullable(number('90th percentile')),
  p99Ms: nullable(number('99th percentile')),
});
const durations = (what: string) =>
  object(what, {
    verdict,
    before: quantiles,
    after: quantiles,
    changeShare: nullable(number('of the typical duration: 0.2 is 20 % slower'), 'not known'),
    chance: nullable(number('p-value: how probable such a difference is between equal builds')),
  });

export default defineCommand({
  configure: (command) =>
    appArgument(command)
      .argument('[before]', 'earlier build (default: the one that served before)')
      .argument('[after]', 'later build (default: the one that serves)')
      .option('--since <time>', 'only calls since then, such as 2d (default: 7 days of each build)', timeFlag)
      .option(...chartPageFlag),
  run: async (context, app, before, after, flags) => {
    const builds = [before, after].filter((each) => each !== undefined);
    const comparison = await compareBuilds(context, { app, builds, since: flags.since });
    await saveChartPage(context, flags, `Builds of ${app}`, () => compareReport(comparison));
    return comparison;
  },
  view: compareView,
  data: ({ runTime: { curves: _, ...runTime }, coldStart: { curves: __, ...coldStart }, ...comparison }) => ({
    ...comparison,
    runTime,
    coldStart,
  }),
  next: ({ app, verdict }) =>
    verdict === 'worse'
      ? [{ line: gantryCommand`rollback ${app} --dry-run`, when: 'to see what going back changes' }]
      : [],
  effect: 'reads',
  json: document({
    app: text('app name'),
    verdict: choice(buildVerdicts, 'of all measures: worse if one is, too few calls if nothing can be told'),
    before: build('the earlier build'),
    after: build('the later build'),
    hours: nullable(list(integer('hour of the day, in UTC'), 'calls of other hours do not count; null if all count')),
    files: orNull('null if the platform does not list them', fileChangeFields),
    settings: nullable(
      objects('changed settings; null if not known', {
        setting: text('key of cerebrium.toml'),
        from: anything('before'),
        to: anything('after'),
      }),
    ),
    runTime: durations('how long calls that succeeded ran'),
    coldStart: durations('how long replicas took to start'),
    errors: object('how many calls failed', {
      verdict,
      beforeShare: nullable(number('share of calls that failed; null without calls')),
      afterShare: nullable(number('share of calls that failed')),
      chance: nullable(number('p-value: how probable such a difference is between equal builds')),
    }),
    missing: nullable(integer('calls that the platform announced and did not return'), 'it does not say how many'),
    unattributed: integer('calls during the deploy, which may be of either build'),
  }),
  details: [
    'Compares run times (rank test by function and hour), errors (exact test) and cold starts. Only hours in which both builds had calls count.',
    'Default: the live build and the one before. If a difference of 30 % could have been missed, the verdict is "too few calls".',
  ],
  examples: [
    'builds compare',
    'builds compare web',
    'builds compare web 3e9a11c2 3f2b7d04',
    'builds compare web --html builds.html',
  ],
});
