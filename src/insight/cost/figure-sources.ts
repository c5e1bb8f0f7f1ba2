import type { AppCostReport, Figure } from './cost-report.ts';

interface Sources {
  /** Undefined if the platform tells neither. */
  cost: 'month' | 'days' | undefined;
  /** What was paid for, or by its calls; unknown if the cost does not fit the price. */
  replicaTime: 'paid' | 'modeled' | 'unknown';
}

const get = 'GET /v2/projects/{project}/apps';
const runs = [`${get}/{app}/runs/charts`];
const app = [`${get}/{app}`];

const costFrom = {
  month: { endpoints: [get], how: 'cost_metrics.total_cost of this month, or the sum of its parts' },
  days: { endpoints: [`${get}/{app}/cost`], how: 'sum of total_cost_cents of the days' },
  nowhere: { endpoints: [], how: 'not known: the platform returned no cost' },
};

/** Each figure of an app with the requests it is from and how it was computed. */
export function figuresOf(report: AppCostReport, { cost, replicaTime: source }: Sources): Figure[] {
  const costSource = costFrom[cost ?? 'nowhere'];
  const paid = { endpoints: [...costSource.endpoints, ...app], how: 'cost / price' };
  const modeled = {
    endpoints: [...runs, ...app],
    how: 'a replica lives from its first call until cooldown after its last one, min_replicas live always',
  };
  const of = (
    figure: string,
    unit: Figure['unit'],
    value: number | null,
    source: Pick<Figure, 'endpoints' | 'how'>,
  ) => ({
    ...{ app: report.app, figure, value, unit },
    ...source,
  });
  const misfit = { ...paid, how: 'not known: cost / price of now is more than max_replicas allow, or less than busy' };
  const replicaTime = { paid, modeled, unknown: misfit }[source];
  const both = [...new Set([...replicaTime.endpoints, ...runs])];
  return [
    of('cost', 'US cents', report.costCents, costSource),
    of('price', 'US cents per second', report.centsPerSecond, { endpoints: app, how: 'costPerSecondCents, of now' }),
    of('replica time', 'seconds', report.replicaSeconds, replicaTime),
    of('busy', 'seconds', report.busySeconds, {
      endpoints: runs,
      how: 'time in which a replica (podName) runs at least one call: createdAt + totalQueueTimeMs, for runtimeMs; what is within the period',
    }),
    of('idle', 'seconds', report.idleSeconds, { endpoints: both, how: 'replica time - busy' }),
    of('idle cost', 'US cents', report.idleCents, { endpoints: both, how: 'cost x idle / replica time' }),
    of('calls', 'calls', report.calls, { endpoints: runs, how: 'runs created in the period' }),
    of('cold starts', 'calls', report.coldStarts, { endpoints: runs, how: 'runs with coldstartTimeMs > 0' }),
    of('cold start', 'ms', report.coldStartMs, { endpoints: runs, how: 'median of coldstartTimeMs > 0' }),
    ...(report.waste
      ? [
          of('savings', 'US cents', report.waste.savesCents, {
            endpoints: [...runs, ...app],
            how: 'price x the replica time that the other setting saves; new cold starts last the median',
          }),
        ]
      : []),
  ];
}
