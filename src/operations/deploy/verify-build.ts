import { type CommandLine, gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { buildHasFailed } from '../../contract/builds.ts';
import {
  BuildFailedError,
  ConflictError,
  type ErrorFacts,
  type GantryError,
  NotReadyError,
  PendingError,
} from '../../errors.ts';
import { duration, shortBuild } from '../../output/format.ts';
import type { AppConfig } from '../../project/config.ts';
import { fetchBuild, followBuild } from '../builds/index.ts';
import { readHistory, recordEvent, type Verdict } from '../history/index.ts';
import { readFailureLog } from '../logs/index.ts';
import { tryRequest } from '../waiting/index.ts';
import {
  type Before,
  doubtHealth,
  goneMs,
  lookForReplaced,
  ReplicaOwners,
  runSmokeTests,
  type SmokeTest,
  summary,
  type Watched,
  type WatchOptions,
  watchBuild,
} from '../watch/index.ts';
import { recordFailure } from './record-failure.ts';

/** What is asked of a new build, besides that it became ready. */
export interface Verification {
  /** How long to watch its replicas and calls, in ms. */
  watchMs?: number | undefined;
  /** Calls that it must answer. */
  smokeTests: readonly SmokeTest[];
  /** The command that goes on after an interruption: nothing is sent if nothing has changed. */
  goOn: CommandLine;
}

export interface BuildVerification extends Verification {
  app: string;
  build: string;
  /** What was sent of the scaling, as far as the platform does not show it. */
  minReplicas: number;
  config?: AppConfig | undefined;
  /** Whether this command has deployed it. Another one may have been found healthy before. */
  isNew: boolean;
  /** What there was before it was uploaded. */
  before?: Before | undefined;
}

/** What was seen of a healthy build; null where it was not looked at, or not shown. */
export type Health = Pick<Watched, 'verdict' | 'watchedMs' | keyof Seen> & { smokeCalls: number };
type Seen = Pick<Watched, 'replicas' | 'restarts' | 'runs' | 'failedRuns'>;
const notSeen: Seen = { replicas: null, restarts: null, runs: null, failedRuns: null };

/**
 * Calls and watches a build that is live, and writes the verdict down. Returns only for a healthy one, undefined if it
 * is known to be healthy: throws NotReadyError for a sick one, PendingError if nothing was seen of it, ConflictError if
 * another build serves.
 */
export async function verifyBuild(context: Context, options: BuildVerification): Promise<Health | undefined> {
  const { app, build, watchMs, smokeTests } = options;
  const { progress, elapsed } = context;
  const started = elapsed();
  context.interruption.message = `${app} serves build ${shortBuild(build)}, which was not watched to the end`;
  const history = await readHistory(context, app);
  const earlierBuilds = new Set([...history.seenBefore(build), ...(options.before?.builds ?? [])]);
  earlierBuilds.delete(build);
  const { isNew, before } = options;
  const servesMs = context.platformNow() - (history.beginnings(build).at(-1) ?? Number.POSITIVE_INFINITY);
  const isAlone = isNew ? earlierBuilds.size === 0 : servesMs >= goneMs;
  const owners = new ReplicaOwners(build, { earlier: before?.replicas, isNew, isAlone, since: started });
  const known = { ...options, earlierBuilds, owners };
  const smokeOptions = { ...known, tests: smokeTests, isEnveloped: options.config?.runtime === 'cortex' };
  const smoke = smokeTests.length > 0 ? await runSmokeTests(context, smokeOptions) : undefined;
  const isProven = smoke?.verdict === 'healthy';
  const watching = { ...known, isProven, sickTimes: history.sickTimes() };
  // Where nobody knows who answered, the watch may show that the build is sick.
  const isUndecided = smoke?.verdict === 'unknown';
  const isWatched =
    watchMs !== undefined &&
    (isUndecided ||
      ((!smoke || isProven) && !(await isKnownHealthy(context, { ...watching, watchMs }, history.health(build)))));
  if (!smoke && !isWatched) return undefined;
  const watched = isWatched ? await watchBuild(context, { ...watching, watchMs }) : undefined;
  const found = isUndecided && watched?.verdict !== 'sick' ? smoke : (watched ?? smoke);
  const replaced = found?.verdict === 'sick' ? await lookForReplaced(context, known) : undefined;
  const nothing = { verdict: 'unknown', reason: 'nothing was looked at' } as const;
  const ended: Pick<Ended, 'verdict' | 'reason' | 'shows'> = replaced ?? found ?? nothing;
  const { verdict, reason } = ended;
  const { replicas, restarts, runs, failedRuns } = watched ?? notSeen;
  const seen = { replicas, restarts, runs, failedRuns, smokeCalls: smoke?.calls ?? 0 };
  const watchedMs = elapsed() - started;
  const container = watched?.container ?? undefined;
  const checks = { watchMs: watched?.watchedMs ?? 0 };
  if (/^(unknown|superseded)$/.test(verdict)) await throwIfFailed(context, options);
  await recordEvent(context, app, 'verdict', { build, verdict, reason, container, watchedMs, seen, checks });
  if (verdict !== 'healthy') throw await verdictError(context, options, { ...ended, watched, watchedMs, seen });
  progress.note(`${app} is healthy${watched ? ` after ${duration(watchedMs)}: ${summary(watched)}` : ''}`);
  const restarted = watched?.restarted;
  if (restarted) {
    const fix = gantryCommand`logs ${app} --container ${restarted}`;
    progress.warn({ severity: 'warning', message: `replica ${restarted} restarted once`, fix });
  }
  return { verdict, watchedMs, ...seen };
}

/** A build that was watched for as long before is not watched again, unless something speaks against it now. */
async function isKnownHealthy(
  context: Context,
  options: WatchOptions & { isNew: boolean },
  health: { watchMs: number; at: number } | undefined,
): Promise<boolean> {
  const { app, build, watchMs, isNew } = options;
  if (isNew || !health || health.watchMs < watchMs) return false;
  const doubt = await doubtHealth(context, options, health.at);
  const found = `build ${shortBuild(build)} of ${app} was found healthy by a watch of ${duration(health.watchMs)}`;
  context.progress.note(doubt ? `${found}, but ${doubt}: watching it again` : `${found}: not watched again`);
  return doubt === undefined;
}

/** A build may fail after it has succeeded and served: the app goes back to the one before it then. */
async function throwIfFailed(context: Context, { app, build, config }: BuildVerification): Promise<void> {
  const { project } = context;
  const shown = await tryRequest(context, (api) => fetchBuild(api, { project, app, build }));
  if (!shown || !buildHasFailed(shown.status)) return;
  try {
    await followBuild(context, { app, build, config, logs: false, timeoutMs: failureMs, startedBefore: true });
  } catch (error) {
    const hasFailed = error instanceof BuildFailedError || error instanceof NotReadyError;
    if (hasFailed) await recordFailure(context, app, build, error);
    throw error;
  }
}

/** How long the log of a build that has failed is waited for. */
const failureMs = 30_000;

/** Lines of the log in the error, and lines that the cause is looked for in. */
const shownLines = 20;

interface Ended {
  verdict: Verdict;
  reason: string;
  /** The build that the app shows instead, if that served before. */
  shows?: string | undefined;
  watched: Watched | undefined;
  watchedMs: number;
  seen: Record<string, number | null>;
}

async function verdictError(context: Context, options: BuildVerification, ended: Ended): Promise<GantryError> {
  const { app, build, config } = options;
  const { verdict, reason, shows, watched, watchedMs, seen } = ended;
  const container = watched?.container ?? null;
  const details = { app, build, verdict, reason, container, watchedMs, ...seen, failedRunIds: watched?.failed ?? [] };
  if (verdict === 'superseded') {
    return new ConflictError(
      `build ${shortBuild(build)} of ${app} was replaced before it was watched to the end: ${reason}`,
      {
        fix: gantryCommand`builds list ${app}`,
        details,
      },
    );
  }
  if (verdict === 'unknown') {
    if (shows === undefined) {
      const message = `${app} serves build ${shortBuild(build)}, and whether it is healthy is not known: ${reason}`;
      return new PendingError(message, { fix: options.goOn, details });
    }
    return new PendingError(`whether build ${shortBuild(build)} of ${app} is healthy is not known: ${reason}`, {
      why: 'the app may be late to show what serves, or somebody has put that build back',
      fix: options.goOn,
      details,
    });
  }
  const log = await readFailureLog(context, app, { container: container ?? undefined });
  const shown = log.slice(-shownLines);
  const facts: ErrorFacts = {
    ...(shown.length > 0 && { why: `end of ${container ? "the replica's" : "the app's"} log:\n${shown.join('\n')}` }),
    fix: container ? gantryCommand`logs ${app} --container ${container}` : gantryCommand`logs ${app} --since 10m`,
    details: { ...details, log: shown },
    log,
  };
  const error = new NotReadyError(`${app} is not healthy: ${reason}`, facts);
  await (await import('../failures/index.ts')).addCause(context, error, config);
  return error;
}
