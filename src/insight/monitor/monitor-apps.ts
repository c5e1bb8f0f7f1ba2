import { GantryError, isTransient } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { contextWith } from '../../platform/waiting/index.ts';
import type { AppFigures, FailedCalls } from './app-figures.ts';
import type { CallCounter } from './call-counter.ts';
import { singleRequest } from './single-request.ts';
import { isGone, WatchedApp } from './watched-app.ts';

/** How the apps of a project are doing. */
export interface ProjectFigures {
  /** RFC 3339, UTC. */
  at: string;
  project: string;
  /** The busiest first. */
  apps: AppFigures[];
  /** The last first. */
  failures: FailedCalls[];
  /** The last lines of the log that is asked for; null if none is, or until it was read. */
  log: { app: string; lines: readonly string[] } | null;
  /** Why some of it is old; null if nothing is. */
  problem: string | null;
}

interface MonitorOptions {
  /** All apps of the project without it. */
  app: string | undefined;
  everyMs: number;
  /** Until the signal aborts without it. */
  forMs?: number | undefined;
  /** Aborted, it ends. */
  signal: AbortSignal;
  /** Whose log is shown. */
  logOf?: () => string | undefined;
  /** Of an app, what counts its calls. */
  counterOf?: (app: string) => CallCounter;
}

/** An app is asked at most this often, in ms: a monitor must not be a load. */
export const leastIntervalMs = 5_000;
/** The list of apps is read every so many times. */
const listEvery = 3;
const requestsAtOnce = 4;

/**
 * How apps are doing, again and again until the signal aborts. Each time, every app is asked for one thing, so that a whole
 * picture takes some times. Failed requests are repeated the next time. Throws what waiting does not mend, and
 * at the end the last error if nothing was ever known.
 */
export async function* monitorApps(context: Context, options: MonitorOptions): AsyncGenerator<ProjectFigures> {
  const { app, signal, forMs = Number.POSITIVE_INFINITY } = options;
  const everyMs = Math.max(leastIntervalMs, options.everyMs);
  const own = contextWith(context, { signal });
  const apps = new Map<string, WatchedApp>();
  const watch = (name: string) => apps.set(name, new WatchedApp(own, name, options.counterOf?.(name)));
  if (app !== undefined) watch(shortAppName(context.project, app));
  const since = context.elapsed();
  const leftMs = () => forMs - (context.elapsed() - since);
  let problem: GantryError | undefined;
  try {
    for (let tick = 0; !signal.aborted && leftMs() > 0; tick++) {
      const [startedAt, problems] = [context.elapsed(), [] as GantryError[]];
      if (app === undefined && tick % listEvery === 0) await updateList(own, apps, watch).catch(keep(problems));
      for (const one of apps.values()) one.showsLog = one.name === options.logOf?.();
      await readAll([...apps.values()], (one) =>
        one.read().catch((error: unknown) => {
          if (app !== undefined || !isGone(error)) throw error;
          apps.delete(one.name);
        }),
      );
      for (const { problem } of apps.values()) if (problem) problems.push(problem);
      problem = problems[0];
      yield projectFigures(context, apps, problem);
      const restMs = everyMs - (context.elapsed() - startedAt);
      await context.delay(Math.max(0, Math.min(restMs, leftMs())), signal);
    }
    if (problem && !signal.aborted && ![...apps.values()].some(({ isKnown }) => isKnown)) throw problem;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Throws what is no {@link GantryError} that may pass. */
function keep(problems: GantryError[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof GantryError) || !isTransient(error)) throw error;
    problems.push(error);
  };
}

async function updateList(context: Context, apps: Map<string, WatchedApp>, watch: (name: string) => unknown) {
  const { project } = context;
  const listed = await singleRequest(context)(listApps, { project });
  const names = new Set(listed.map(({ id, name }) => shortAppName(project, id || (name ?? ''))));
  for (const name of apps.keys()) if (!names.has(name)) apps.delete(name);
  for (const name of names) if (!apps.has(name)) watch(name);
}

async function readAll(apps: readonly WatchedApp[], read: (app: WatchedApp) => Promise<void>): Promise<void> {
  const waiting = [...apps];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await read(next);
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, worker));
}

function projectFigures(
  { project, platformNow }: Context,
  apps: Map<string, WatchedApp>,
  problem?: GantryError,
): ProjectFigures {
  const figures = [...apps.values()].map((one) => one.figures);
  const busy = ({ callsPerSecond, replicas }: AppFigures) => [callsPerSecond ?? 0, replicas ?? 0] as const;
  figures.sort((a, b) => {
    const [[calls, replicas], [otherCalls, otherReplicas]] = [busy(a), busy(b)];
    return otherCalls - calls || otherReplicas - replicas || (a.app < b.app ? -1 : 1);
  });
  const failures = [...apps.values()].flatMap((one) => one.failures).sort((a, b) => (a.at < b.at ? 1 : -1));
  return {
    at: new Date(platformNow()).toISOString(),
    ...{ project, apps: figures, failures, log: logOf(apps), problem: problem?.message ?? null },
  };
}

function logOf(apps: Map<string, WatchedApp>): ProjectFigures['log'] {
  const shown = [...apps.values()].find(({ showsLog, log }) => showsLog && log);
  return shown ? { app: shown.name, lines: shown.log ?? [] } : null;
}
