import type { Figure } from '../cost/index.ts';
import type { Advice } from './advice.ts';

const app = 'GET /v2/projects/{project}/apps/{app}';
const runs = `${app}/runs/charts`;

/** Each figure of the options with the requests it is from and how it was computed. */
export function adviceFigures({ app: name, predictionError: error, options, calls }: Advice): Figure[] {
  const of = (
    figure: string,
    unit: Figure['unit'],
    value: number | null,
    endpoints: string[],
    how: string,
  ): Figure => ({
    ...{ app: name, figure, value, unit, endpoints, how },
  });
  const each = 'each day is replayed with starts and routing of the other days';
  return [
    of('calls', 'calls', calls, [runs], 'runs with createdAt and runtimeMs'),
    of(
      'error of cold starts',
      'share',
      error?.coldStarts ?? null,
      [runs],
      `replayed / coldstartTimeMs > 0, less 1; ${each}`,
    ),
    of(
      'error of p90',
      'share',
      error?.p90 ?? null,
      [runs],
      `replayed / (totalQueueTimeMs + runtimeMs), less 1; ${each}`,
    ),
    of(
      'error of the bill',
      'share',
      error?.cost ?? null,
      [runs, app, `${app}/cost`],
      'replayed replica time x costPerSecondCents / total_cost_cents of the days, less 1',
    ),
    ...options.flatMap(({ option, coldStarts, p90, monthCents }) => [
      of(
        `cold starts, ${option}`,
        'calls',
        coldStarts,
        [runs, app],
        'calls that wait for a start when all are replayed with these settings',
      ),
      of(`p90, ${option}`, 'ms', p90, [runs, app], '90th percentile of wait + runtimeMs in the replay'),
      of(
        `month, ${option}`,
        'US cents',
        monthCents,
        [runs, app, `${app}/cost`],
        'replayed replica time x costPerSecondCents / (1 + error of the bill), for 30 days',
      ),
    ]),
  ];
}
