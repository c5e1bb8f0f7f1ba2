import { openTextServer } from '../../calls/receiver/text-server.ts';
import type { Context } from '../../platform/context.ts';
import { isLoopbackHost } from '../../platform/contract/address.ts';
import { CounterStore } from './counter-store.ts';
import { leastIntervalMs, monitorApps, type ProjectFigures } from './monitor-apps.ts';
import { metricFormats, metricsText } from './open-metrics.ts';

interface ServeOptions {
  /** All apps of the project without it. */
  app: string | undefined;
  /** Until Ctrl-C without it. */
  forMs: number | undefined;
  host: string;
  /** Default: 9464, or a free port if that is in use. */
  port: number | undefined;
}

/** What Prometheus exporters of OpenTelemetry listen on. */
const defaultPort = 9464;

/** Serves the figures of apps to Prometheus until Ctrl-C. Yields the URL once it listens. */
export async function* serveMetrics(
  context: Context,
  { app, forMs, host, port }: ServeOptions,
): AsyncGenerator<{ url: string }> {
  const { signal, project, progress } = context;
  const store = await CounterStore.open(context);
  let last: ProjectFigures | undefined;
  const textOf = (path: string, accept: string) => {
    if (path !== '/metrics' && path !== '/') return undefined;
    const format = accept.includes('openmetrics') ? metricFormats.openMetrics : metricFormats.text;
    const apps = (last?.apps ?? []).map((figures) => ({
      figures,
      counts: store.has(figures.app) ? store.counterOf(figures.app).counts : undefined,
    }));
    return { contentType: format.contentType, text: metricsText(project, apps, format) };
  };
  // A page in a browser may have a name that leads to this machine: only its own names are answered.
  const isOwnHost = (name: string) => !isLocalName(host) || isLocalName(name);
  const server = await open({ host, textOf, isOwnHost }, port);
  context.interruption.message = '';
  try {
    yield { url: `${server.url}/metrics` };
    const options = {
      app,
      everyMs: leastIntervalMs,
      forMs,
      signal,
      counterOf: (name: string) => store.counterOf(name),
    };
    let problem: string | null = null;
    for await (const snapshot of monitorApps(context, options)) {
      last = snapshot;
      if (snapshot.problem && snapshot.problem !== problem) progress.warn(snapshot.problem);
      problem = snapshot.problem;
    }
  } finally {
    await server.close();
  }
}

/** Whether a `Host` header or an address to listen on names this machine only. */
export function isLocalName(name: string): boolean {
  const url = `http://${name === '::1' ? '[::1]' : name}`;
  return URL.canParse(url) && isLoopbackHost(new URL(url));
}

async function open(options: Omit<Parameters<typeof openTextServer>[0], 'port'>, port: number | undefined) {
  if (port !== undefined) return openTextServer({ ...options, port });
  return openTextServer({ ...options, port: defaultPort }).catch(() => openTextServer({ ...options, port: 0 }));
}
