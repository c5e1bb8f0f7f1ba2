import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { listContainers } from '../../contract/containers.ts';
import { getRunsChart, listRuns, type Run } from '../../contract/runs.ts';
import { AuthError, DeniedError, GantryError, NotFoundError } from '../../errors.ts';
import { count, duration } from '../../output/format.ts';
import type { Verdict } from '../history/index.ts';
import { fetchApp, type PagePosition, readPages } from '../replies/index.ts';
import { runKey } from '../runs/index.ts';
import { type Look, type Observed, ObservedBuild, type TimeSpan } from './observed-build.ts';

export interface WatchOptions {
  app: string;
  build: string;
  watchMs: number;
  /** What was sent, as far as the platform does not show it. */
  minReplicas: number;
  cooldownMs?: number | undefined;
  /** Whether a call of the build has succeeded: it is proven to answer. */
  isProven?: boolean | undefined;
  /** When builds served that are no measure for this one. */
  sickTimes?: readonly TimeSpan[] | undefined;
  /** Whether it has just been deployed: all restarts are recent. */
  isNew?: boolean | undefined;
}

/** The verdict on a build, and what it rests on. */
export interface Watched extends Observed {
  verdict: Verdict;
  /** Why it is not healthy; empty if it is. */
  reason: string;
  /** The replica that shows it. */
  container: string | null;
  /** A replica that restarted once, which is not enough to say more. */
  restarted: string | null;
  watchedMs: number;
  failed: string[];
}

const pollMs = 2_000;
/** Runs that a look reads at most: those of the first one are compared with. */
const maxRunsRead = 1_000;
const pageRuns = 100;
/** How far back the chart is asked for runs to compare with, in ms. */
const comparedFromMs = -6 * 3_600_000;

/**
 * Watches a new build: its replicas, its calls, and whether it still serves. Superseded and sick end the watch early. A
 * platform that does not answer is no verdict on the build: unknown.
 */
export async function watchBuild(context: Context, options: WatchOptions): Promise<Watched> {
  const { elapsed, delay, progress } = context;
  const { app, build, watchMs, isProven = false, sickTimes, isNew } = options;
  const started = elapsed();
  const observed = new ObservedBuild(build, { sickTimes, isNew });
  const step = progress.step(`Watching ${app}`);
  const end = (verdict: Verdict, reason: string, container?: string): Watched => ({
    verdict,
    reason,
    container: container ?? null,
    restarted: observed.restarted() ?? null,
    watchedMs: elapsed() - started,
    failed: observed.failedRuns(),
    ...observed.counts(),
  });
  let lastFailure: GantryError | undefined;
  try {
    for (;;) {
      const leftMs = started + watchMs - elapsed();
      try {
        observed.update(await look(context, options, observed));
        lastFailure = undefined;
      } catch (error) {
        lastFailure = transient(error, context);
      }
      const found = leftMs > 0 ? observed.early() : observed.final(isProven);
      if (found && found.verdict !== 'unknown') return end(found.verdict, found.reason, found.container);
      if (leftMs <= 0) {
        if (lastFailure) return end('unknown', `the platform did not answer: ${lastFailure.message}`);
        return found ? end('unknown', found.reason, found.container) : end('healthy', '');
      }
      step.update({ text: `${summary(observed.counts())}, ${duration(leftMs)} left` });
      await delay(Math.min(pollMs, leftMs));
    }
  } finally {
    step.clear();
  }
}

/** One look at a build that was found healthy at a time (ms): why it may not be so any more. */
export async function doubtHealth(context: Context, options: WatchOptions, at: number): Promise<string | undefined> {
  const observed = new ObservedBuild(options.build, { sickTimes: options.sickTimes, servesSince: at });
  try {
    observed.update(await look(context, options, observed));
  } catch (error) {
    return `the platform did not answer: ${transient(error, context).message}`;
  }
  return observed.trouble()?.reason;
}

/** `2 replicas, 14 runs, 0 failed`. */
export function summary({ replicas, restarts, runs, failedRuns, runsRefused }: Observed): string {
  const calls = runsRefused === undefined ? [count(runs, 'run'), `${failedRuns} failed`] : ['calls are not known'];
  const parts = [count(replicas, 'replica'), ...calls];
  return restarts > 0 ? [...parts, count(restarts, 'restart')].join(', ') : parts.join(', ');
}

async function look(
  context: Context,
  { app, minReplicas, cooldownMs }: WatchOptions,
  observed: ObservedBuild,
): Promise<Look> {
  const { api, project, elapsed } = context;
  const [shown, containers, runs] = await Promise.all([
    fetchApp(api, { project, app }),
    unlessRefused(api(listContainers, { project, app })),
    readRuns(context, app, observed).catch(refusal),
  ]);
  const { cooldownPeriodSeconds } = shown;
  return {
    at: elapsed(),
    live: liveBuild(shown),
    status: shown.status ?? undefined,
    containers,
    ...(runs instanceof GantryError ? { runsRefused: runs.message } : { runs }),
    minReplicas: shown.minReplicaCount ?? minReplicas,
    cooldownMs: typeof cooldownPeriodSeconds === 'number' ? cooldownPeriodSeconds * 1_000 : cooldownMs,
  };
}

/** Of all pages: a busy app has more runs between two looks than fit on one. Ends where nothing is new any more. */
async function readRuns({ api, project, now }: Context, app: string, observed: ObservedBuild): Promise<Run[]> {
  const listPage = (position: PagePosition | undefined) =>
    api(listRuns, { project, app, query: position && 'token' in position ? { nextToken: position.token } : {} });
  const chartPage = async (position: PagePosition | undefined) => {
    const startTime = new Date(now() + comparedFromMs).toISOString();
    const at = position && ('token' in position ? { nextToken: position.token } : position);
    const { items, ...page } = await api(getRunsChart, { project, app, query: { startTime, limit: pageRuns, ...at } });
    return { ...page, items: items ?? [] };
  };
  const first = await listPage(undefined).catch((error: unknown) => {
    // Not in the specification, which has the chart (spec 4.6) instead.
    refusal(error);
    return undefined;
  });
  const read = first ? listPage : chartPage;
  const pages = readPages<Run>({
    read: (position) => (position || !first ? read(position) : Promise.resolve(first)),
    key: runKey,
    by: 'token',
    fix: gantryCommand`runs list ${app}`.toString(),
  });
  const runs: Run[] = [];
  for await (const { items } of pages) {
    runs.push(...items);
    if (runs.length >= maxRunsRead || (items.length > 0 && items.every((run) => observed.isSettled(run)))) break;
  }
  return runs;
}

/** What a token may not read, or a platform does not list, is not looked at. */
async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => void refusal(error));
}

function refusal(error: unknown): GantryError {
  if (error instanceof NotFoundError || error instanceof DeniedError) return error;
  throw error;
}

/** A failed look is not a verdict: the next one may succeed. Throws what the next one would meet too. */
function transient(error: unknown, { signal }: Context): GantryError {
  const isFinal = !(error instanceof GantryError) || error instanceof AuthError || error instanceof NotFoundError;
  if (signal.aborted || isFinal) throw error;
  return error;
}
