import { join } from 'node:path';
import * as v from 'valibot';
import { openTextServer } from '../../calls/receiver/index.ts';
import { makePrivateFolder, readRegular, writeFileAtomicSync } from '../../kernel/disk/index.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import type { Api } from '../../platform/api/client.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import type { AppFigures } from './app-figures.ts';
import { type CallCounts, KeptCounts, noCounts, readCounts } from './call-counter.ts';
import { leastIntervalMs, type MonitorOptions, monitorApps, type ProjectFigures } from './monitor-apps.ts';

interface ServeOptions extends Pick<MonitorOptions, 'app' | 'forMs'> {
  host: string;
  /** Default: 9464, or a free port if that is in use. */
  port: number | undefined;
}

/** What Prometheus exporters of OpenTelemetry listen on. */
const usualPort = 9464;

/** Serves the figures of apps to Prometheus until Ctrl-C. Yields the URL once it has figures. */
export async function* serveMetrics(context: Context, { app, forMs, host, port }: ServeOptions) {
  const { signal, project, progress } = context;
  const store = await CounterStore.open(context);
  let last: ProjectFigures | undefined;
  const textOf = (path: string, accept: string) => {
    if (path !== '/metrics' && path !== '/') return undefined;
    const format = accept.includes('openmetrics') ? metricFormats.openMetrics : metricFormats.text;
    const apps = (last?.apps ?? []).map((figures) => ({ figures, counts: store.kept[figures.app]?.told }));
    const texts = families.map((family) => familyText(family, project, apps, format));
    return { contentType: format.contentType, text: `${texts.join('')}${format.end}` };
  };
  const server = await openTextServer({ host, port, usualPort, textOf });
  context.interruption.message = '';
  try {
    const options = {
      app,
      everyMs: leastIntervalMs,
      forMs,
      signal,
      counterOf: (name: string) => store.counterOf(name),
    };
    let problem: string | null = null;
    for await (const snapshot of monitorApps(context, options)) {
      if (!last) yield { url: `${server.url}/metrics` };
      last = snapshot;
      if (snapshot.problem && snapshot.problem !== problem) progress.warn(snapshot.problem);
      problem = snapshot.problem;
    }
  } finally {
    await server.close();
  }
}

const KeptApps = v.record(v.string(), KeptCounts);

/** The counters of a project's apps, which are kept over restarts. */
class CounterStore {
  #hasWarned = false;

  private constructor(
    private readonly context: Context,
    private readonly path: string,
    readonly kept: Record<string, KeptCounts>,
  ) {}

  static async open(context: Context): Promise<CounterStore> {
    const { settings, project } = context;
    const folder = join(settings.folders.state, 'metrics');
    const path = join(folder, `${stateKey(platformOf(settings), project)}.json`);
    const text = await readRegular(path).catch(() => undefined);
    const parsed = v.safeParse(KeptApps, text === undefined ? undefined : tryParseJson(String(text)));
    return new CounterStore(context, path, parsed.success ? parsed.output : {});
  }

  counterOf(app: string): (api: Api) => Promise<void> {
    const first = this.kept[app] ?? noCounts(this.context);
    return async (api) => {
      this.kept[app] = await readCounts(this.context, api, app, this.kept[app] ?? first);
      this.#write();
    };
  }

  /** Before the counts are told: what a scrape has seen must not fall after a kill. */
  #write(): void {
    try {
      makePrivateFolder(join(this.path, '..'));
      writeFileAtomicSync(this.path, JSON.stringify(this.kept));
    } catch (error) {
      if (!this.#hasWarned) {
        this.context.progress.warn(`cannot keep counters in ${this.path}: ${(error as Error).message}`);
      }
      this.#hasWarned = true;
    }
  }
}

interface AppMetrics {
  figures: AppFigures;
  /** Undefined until they were read. */
  counts: CallCounts | undefined;
}

/** Prometheus asks for the first one; the second is what `promtool check metrics` reads. A counter is declared with a suffix. */
const metricFormats = {
  openMetrics: {
    contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    counterSuffix: '',
    end: '# EOF\n',
  },
  text: { contentType: 'text/plain; version=0.0.4; charset=utf-8', counterSuffix: '_total', end: '' },
};

type Format = typeof metricFormats.text;

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
