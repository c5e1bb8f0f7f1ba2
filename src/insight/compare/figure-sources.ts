import type { Figure } from '../cost/index.ts';
import type { Comparison } from './comparison.ts';

const builds = 'GET /v2/projects/{project}/apps/{app}/builds';
const runs = 'GET /v2/projects/{project}/apps/{app}/runs/charts';

/** Each figure of a comparison with the requests it is from and how it was computed. */
export function comparisonFigures({ app, before, after, runTime, coldStart, errors }: Comparison): Figure[] {
  const borders =
    'of the build that the run or else its replica belongs to; builds serve from the history on this machine, or from their success on';
  const ranks =
    'rank test of Mann and Whitney within each function and hour of the day; an alarm from 3.09 standard deviations and 5 % on';
  const of = (figure: string, unit: Figure['unit'], value: number | null, how: string) => ({
    ...{ app, figure, value, unit, endpoints: [runs, builds], how },
  });
  return [
    of('calls before', 'calls', before.calls, `runs that ended and were not canceled, ${borders}`),
    of('calls after', 'calls', after.calls, 'the same'),
    of('run time before', 'ms', runTime.before.p90, '90th percentile of runtimeMs of calls that succeeded'),
    of('run time after', 'ms', runTime.after.p90, 'the same'),
    of(
      'change of the run time',
      'share',
      runTime.change,
      `ratio of the medians of each function and hour, averaged; ${ranks}`,
    ),
    of('cold start before', 'ms', coldStart.before.p50, 'median of coldstartTimeMs > 0'),
    of('cold start after', 'ms', coldStart.after.p50, 'the same'),
    of('change of the cold start', 'share', coldStart.change, `ratio of the medians; ${ranks}`),
    of('errors before', 'share', errors.before, 'calls that failed / calls'),
    of('errors after', 'share', errors.after, "the same; Fisher's exact test, an alarm below 1 %"),
  ];
}
