import type { Context } from '../../context.ts';
import { buildPhase } from '../../contract/builds.ts';
import { AuthError, GantryError, NotFoundError } from '../../errors.ts';
import { count, duration } from '../../output/format.ts';
import { fetchBuild } from '../builds/index.ts';
import type { Verdict } from '../history/index.ts';
import { isTooEarly, tryRequest } from '../waiting/index.ts';
import type { Finding, Observed } from './finding.ts';
import { type Look, lookAt, type ObservedOptions } from './look.ts';
import { ObservedBuild } from './observed-build.ts';

export interface WatchOptions extends Omit<ObservedOptions, 'servesSince'> {
  app: string;
  build: string;
  watchMs: number;
  /** What was sent, as far as the platform does not show it. */
  minReplicas: number;
  /** Whether a call of the build has succeeded: it is proven to answer. */
  isProven?: boolean | undefined;
}

/** The verdict on a build, and what it rests on. */
export interface Watched extends Observed {
  verdict: Verdict;
  /** Why it is not healthy; empty if it is. */
  reason: string;
  /** The build that the app shows instead, if that served before. */
  shows?: string | undefined;
  /** The replica that shows it. */
  container: string | null;
  /** A replica that restarted once, which is not enough to say more. */
  restarted: string | null;
  watchedMs: number;
  failed: string[];
}

export const pollMs = 2_000;
/** How much longer than the watch an app may show the build before, in ms. */
const maxBehindMs = 10_000;
/** And a platform the same list of replicas: some read them anew twice a minute. */
const maxCopiedMs = 30_000;

/**
 * Watches a new build: its replicas, its calls, and whether it still serves. Superseded and sick end the watch early. A
 * platform that does not answer is no verdict on the build: unknown.
 */
export async function watchBuild(context: Context, options: WatchOptions): Promise<Watched> {
  const { elapsed, delay, progress } = context;
  const { app, build, watchMs, isProven = false } = options;
  const started = elapsed();
  const observed = new ObservedBuild(build, options);
  const step = progress.step(`Watching ${app}`);
  const end = (verdict: Verdict, reason: string, found?: Finding): Watched => ({
    verdict,
    reason,
    shows: found?.shows,
    container: found?.container ?? null,
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
        const ageMs = options.isNew === false ? Number.POSITIVE_INFINITY : elapsed() - started;
        lastFailure = isTooEarly(error, ageMs) ? error : transient(error, context);
      }
      const moreMs = observed.isBehind ? maxBehindMs : observed.isCopied ? maxCopiedMs : 0;
      const isOver = leftMs <= -moreMs;
      const failed = observed.isBehind ? await ownFailure(context, options) : undefined;
      if (failed !== undefined) return end('unknown', `its status is ${failed}`);
      const found = isOver ? observed.final(isProven) : observed.early();
      if (found && found.verdict !== 'unknown') return end(found.verdict, found.reason, found);
      if (isOver) {
        if (lastFailure) return end('unknown', `the platform did not answer: ${lastFailure.message}`);
        return found ? end('unknown', found.reason, found) : end('healthy', '');
      }
      const left = leftMs > 0 ? `${duration(leftMs)} left` : 'until the platform shows what is true now';
      step.update({ text: `${summary(observed.counts())}, ${left}` });
      await delay(leftMs > 0 ? Math.min(pollMs, leftMs) : pollMs);
    }
  } finally {
    step.clear();
  }
}

/** `2 replicas, 14 runs, 0 failed`. */
export function summary({ replicas, restarts, runs, failedRuns }: Observed): string {
  const calls = runs === null ? ['calls are not known'] : [count(runs, 'run'), `${failedRuns} failed`];
  const parts = [replicas === null ? 'replicas are not known' : count(replicas, 'replica'), ...calls];
  if (replicas && restarts === null) parts.push('restarts are not shown');
  return restarts ? [...parts, count(restarts, 'restart')].join(', ') : parts.join(', ');
}

export async function look(context: Context, options: WatchOptions, observed: ObservedBuild): Promise<Look> {
  const seen = await lookAt(context, options.app, (run) => observed.isSettled(run));
  return { ...seen, minReplicas: seen.minReplicas ?? options.minReplicas };
}

/** The status of a build that has failed after all: then the app went back, and does not lag behind. */
async function ownFailure(context: Context, { app, build }: WatchOptions): Promise<string | undefined> {
  const { project } = context;
  const own = await tryRequest(context, (api) => fetchBuild(api, { project, app, build }));
  return own && buildPhase(own.status) === 'failed' ? own.status : undefined;
}

/** A failed look is not a verdict: the next one may succeed. Throws what the next one would meet too. */
export function transient(error: unknown, { signal }: Context): GantryError {
  const isFinal = !(error instanceof GantryError) || error instanceof AuthError || error instanceof NotFoundError;
  if (signal.aborted || isFinal) throw error;
  return error;
}
