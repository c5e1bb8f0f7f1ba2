import type { AppFigures } from './app-figures.ts';
import type { CallCounts } from './call-counter.ts';

/** The numbers of an app. */
export interface AppMetrics {
  figures: AppFigures;
  /** Undefined until they were read. */
  counts: CallCounts | undefined;
}

interface Format {
  contentType: string;
  /** What the name of a counter gets where its type is declared. */
  counterSuffix: string;
  end: string;
}

/** Prometheus asks for the first one; the second is what `promtool check metrics` reads. */
export const metricFormats = {
  openMetrics: {
    contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    counterSuffix: '',
    end: '# EOF\n',
  },
  text: { contentType: 'text/plain; version=0.0.4; charset=utf-8', counterSuffix: '_total', end: '' },
} as const satisfies Record<string, Format>;

interface Family {
  name: string;
  type: 'gauge' | 'counter' | 'summary';
  help: string;
  samples: (metrics: AppMetrics) => readonly Sample[];
}
/** What follows the name, further labels, and the value. */
type Sample = [suffix: string, labels: Record<string, string>, value: number | null | undefined];

const families: readonly Family[] = [
  gauge('gantry_app_replicas', 'Replicas that run.', ({ replicas }) => replicas),
  gauge('gantry_app_max_replicas', 'Replicas that the app may have.', ({ maxReplicas }) => maxReplicas),
  {
    name: 'gantry_app_build_replicas',
    type: 'gauge',
    help: 'Replicas that run, by build.',
    samples: ({ figures }) => figures.builds.map(({ build, replicas }) => ['', { build }, replicas] as const as Sample),
  },
  gauge('gantry_app_queued_calls', 'Calls that wait for a replica.', ({ queued }) => queued),
  gauge('gantry_app_cold_starts_per_minute', 'Calls that waited for a replica to start, in the last minute.', (app) => {
    return app.coldStartsPerMinute;
  }),
  gauge('gantry_app_cost_dollars_per_hour', 'Cost of the replicas that run.', ({ centsPerHour }) =>
    centsPerHour === null ? null : centsPerHour / 100,
  ),
  counter('gantry_app_calls', 'Calls since they are counted, jobs of gantry run among them.', ({ calls }) => calls),
  counter(
    'gantry_app_failed_calls',
    'Calls that failed since they are counted, jobs of gantry run among them.',
    ({ failed }) => failed,
  ),
  {
    name: 'gantry_app_response_seconds',
    type: 'summary',
    help: 'Response times: quantiles of the last minute.',
    samples: ({ figures: { p50Ms, p90Ms, p99Ms }, counts }) => [
      ...(
        [
          ['0.5', p50Ms],
          ['0.9', p90Ms],
          ['0.99', p99Ms],
        ] as const
      ).map(([quantile, ms]): Sample => ['', { quantile }, ms === null ? null : ms / 1_000]),
      ['_count', {}, counts?.calls],
      ['_sum', {}, counts?.responseSeconds],
    ],
  },
];

/** The numbers of all apps as Prometheus reads them. What is not known is omitted. */
export function metricsText(project: string, apps: readonly AppMetrics[], format: Format): string {
  return `${families.map((family) => familyText(family, project, apps, format)).join('')}${format.end}`;
}

function familyText(family: Family, project: string, apps: readonly AppMetrics[], { counterSuffix }: Format): string {
  const { name, type, help } = family;
  const lines = apps.flatMap((metrics) =>
    family.samples(metrics).flatMap(([suffix, labels, value]) => {
      if (value === null || value === undefined) return [];
      return `${name}${suffix}${labelsText({ project, app: metrics.figures.app, ...labels })} ${value}\n`;
    }),
  );
  if (lines.length === 0) return '';
  const declared = `${name}${type === 'counter' ? counterSuffix : ''}`;
  return `# TYPE ${declared} ${type}\n# HELP ${declared} ${help}\n${lines.join('')}`;
}

function gauge(name: string, help: string, value: (figures: AppFigures) => number | null): Family {
  return { name, type: 'gauge', help, samples: ({ figures }) => [['', {}, value(figures)]] };
}

function counter(name: string, help: string, value: (counts: CallCounts) => number): Family {
  return { name, type: 'counter', help, samples: ({ counts }) => [['_total', {}, counts && value(counts)]] };
}

function labelsText(labels: Record<string, string>): string {
  const escaped = (value: string) => value.replace(/["\\\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`;
}
