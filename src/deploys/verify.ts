import type { AppConfig } from '../app/config.ts';
import { appLogSource, endingOf, readFailureLog, readLogText } from '../calls/logs/index.ts';
import type { SeenInFiles } from '../causes/index.ts';
import { type CommandLine, gantryCommand } from '../kernel/command-line.ts';
import { ConflictError, type GantryError, NotReadyError, PendingError } from '../kernel/errors.ts';
import { begun } from '../kernel/once.ts';
import { duration, shortBuild } from '../kernel/output/format.ts';
import type { ObjectOf } from '../kernel/shape.ts';
import type { Context } from '../platform/context.ts';
import { noStep } from '../platform/waiting/index.ts';
import type { Ended, HealthFacts, healthFields } from './decide.ts';
import { type AppHistory, readHistory, recordEvent } from './history/index.ts';
import {
  type Before,
  noSmoke,
  ObservedBuild,
  type Reason,
  type Seen,
  type Smoke,
  servesNow,
  summary,
  type WatchedBuild,
} from './observed-build.ts';
import { lateMs, pastOf, servedBefore } from './serving.ts';
import type { SmokeTest } from './smoke.ts';

/** What is asked of a new build, besides that it became ready. */
export interface Verification {
  /** How long to watch its replicas and calls, in ms. */
  watchMs?: number | undefined;
  smokeTests: readonly SmokeTest[];
  /** The command that goes on after an interruption: nothing is sent if nothing has changed. And the one that calls it. */
  goOn: CommandLine;
  calling: () => Promise<CommandLine>;
}

export interface BuildVerification extends Verification, Pick<WatchedBuild, 'app' | 'build' | 'minReplicas' | 'isNew'> {
  config?: AppConfig | undefined;
  /** What its files show. */
  seen?: SeenInFiles | undefined;
  before?: Before | undefined;
  /** Whether the build before a sick one is returned to. */
  orRollback?: boolean | undefined;
  /** A later build that has replaced it already. */
  serves?: string | undefined;
}

const notSeen: Seen = { replicas: null, restarts: null, runs: null, failedRuns: null };

/** What was found of a build, and what a command that asked for a healthy one ends with. */
export interface Verified {
  finding: Ended['finding'];
  /** NotReadyError of a sick one, PendingError if it is not known, ConflictError if another build serves. */
  error?: GantryError;
  /** Waits until the error has the end of the log, which may be late, and the cause: nothing else needs to wait for it. */
  explained?: () => Promise<void>;
  /** The health of a healthy one, unless it was watched for as long before, and nothing speaks against it now. */
  health?: ObjectOf<typeof healthFields>;
}

/** What was found, and by which looks and calls; of a build that another one has replaced, without any. */
interface FoundHealth {
  health: Ended & Reason;
  observed: ObservedBuild;
  smoke: Smoke;
  watchedMs: number;
  isWatched: boolean;
  /** Since when lines of the log may be of a sick one, in ms. */
  since?: number | undefined;
}

/** Calls and watches a build that is live, and writes the verdict down. */
export async function verifyBuild(context: Context, options: BuildVerification): Promise<Verified> {
  const { app, build, serves } = options;
  const { elapsed } = context;
  const started = elapsed();
  const began = context.platformNow();
  const history = await readHistory(context, app);
  const served = servedBefore(pastOf([], history), build).map(({ id }) => id);
  const earlier = [...served, ...(options.before?.builds ?? [])];
  const earlierBuilds = new Set(earlier.filter((id) => id !== build));
  const subject: WatchedBuild = { ...options, earlierBuilds, sickTimes: history.sickTimes() };
  const observed = new ObservedBuild(context, subject);
  if (serves !== undefined) {
    const health = { finding: 'superseded', because: 'shows', reason: servesNow(serves) } as const;
    return tell(context, options, { health, observed, smoke: noSmoke, watchedMs: 0, isWatched: false });
  }
  context.interruption.message = `${app} serves build ${shortBuild(build)}, which was not watched to the end`;
  const { smokeTests: tests, config } = options;
  const call = async () =>
    (await import('./smoke.ts')).callBuild(context, observed, tests, config?.runtime === 'cortex');
  const smoke = tests.length > 0 ? await call() : noSmoke;
  const isKnown = /^(yes|not asked)$/.test(smoke.says) && (await isStillHealthy(context, options, subject, history));
  const watchMs = isKnown || smoke.says === 'no' ? undefined : options.watchMs;
  if (watchMs === undefined && smoke === noSmoke) return { finding: 'healthy' };
  const healthy = history.foundHealthy(build, options.isNew ? served[0] : build);
  const health = await watchBuild(context, observed, besideEarlier(smoke, healthy), watchMs);
  // As it was known before the calls: what they left in the log is later. An older build has lines of earlier calls.
  const since = options.isNew ? history.servesSince(build) : began;
  const isWatched = watchMs !== undefined;
  return tell(context, options, { health, observed, smoke, watchedMs: elapsed() - started, isWatched, since });
}

/** What a call says of an app that was found healthy, and of which nothing was changed since. */
function besideEarlier(smoke: Smoke, healthy: string | undefined): Smoke {
  if (smoke.says !== 'no' || !smoke.isCallers || healthy === undefined) return smoke;
  const reason = `${smoke.reason}, but the same files and settings were found healthy as build ${shortBuild(healthy)}`;
  return { ...smoke, says: 'unclear', reason };
}

/** Writes down what was found, and says it. */
async function tell(context: Context, options: BuildVerification, evidence: FoundHealth): Promise<Verified> {
  const { app, build } = options;
  const { health, observed, smoke, watchedMs, isWatched } = evidence;
  const { finding, because, reason, container } = health;
  const watchMs = isWatched ? watchedMs : 0;
  const counts = { ...(isWatched ? observed.seen : notSeen), smokeCalls: smoke.calls };
  const verdict = { build, verdict: finding, container, watchedMs };
  const told = finding === 'healthy' ? '' : reason;
  await recordEvent(context, app, 'verdict', { ...verdict, reason: told, seen: counts, watchMs });
  if (finding !== 'healthy') {
    const failedRunIds = observed.calls.failed();
    const details = { app, ...verdict, reason, container: container ?? null, ...counts, failedRunIds };
    const error = await verdictError(options, evidence, details);
    if (finding !== 'sick') return { finding, error };
    const explaining = begun(explain(context, options, error, evidence));
    const explained = () => explaining.finally(context.progress.step(`Reading the log of ${app}`).clear);
    return { finding, error, explained };
  }
  context.progress.note(`${app} is healthy${watchMs > 0 ? ` after ${duration(watchMs)}: ${summary(counts)}` : ''}`);
  if (because === 'few replicas') context.progress.warn(fewReplicas(app, reason));
  return { finding, health: { verdict: finding, watchedMs, ...counts } };
}

/**
 * Whether a build that was watched for as long before is as well now, by two looks: one list of replicas does not tell how
 * long they live. That an app sleeps that keeps no replica does not speak against it.
 */
async function isStillHealthy(
  context: Context,
  { watchMs, isNew }: BuildVerification,
  subject: WatchedBuild,
  history: AppHistory,
): Promise<boolean> {
  const { app, build } = subject;
  const health = isNew ? undefined : history.health(build);
  if (!health || !(health.watchMs >= Number(watchMs))) return false;
  const observed = new ObservedBuild(context, { ...subject, isNew: true });
  await observed.look({ withRuns: true });
  await context.delay(pauses.firstMs);
  await observed.look({ withRuns: true });
  const { isWell, doubt, because } = wellSince(observed, health.at);
  const watched = `build ${shortBuild(build)} of ${app} was found healthy by a watch of ${duration(health.watchMs)}`;
  if (isWell && because === 'few replicas') context.progress.warn(fewReplicas(app, doubt));
  context.progress.note(isWell ? `${watched}: not watched again` : `${watched}, but ${doubt}: watching it again`);
  return isWell;
}

function wellSince(observed: ObservedBuild, since: number) {
  const { keepsReplicas, replicas } = observed;
  const { finding, because, reason: doubt } = observed.judge(noSmoke, 'over');
  if (keepsReplicas && replicas.haveStartedSince(since))
    return { isWell: false, doubt: 'all of its replicas have restarted since', because };
  const isWell = finding === 'healthy' || (because === 'nothing seen' && !keepsReplicas);
  return { isWell, doubt, because };
}

const fewReplicas = (app: string, message: string) =>
  ({ severity: 'warning', message, fix: gantryCommand`apps get ${app}` }) as const;

const shownLines = 20;

async function verdictError(options: BuildVerification, evidence: FoundHealth, details: Record<string, unknown>) {
  const { app, build, goOn, calling } = options;
  const { health, observed, smoke } = evidence;
  const { finding: verdict, because, reason } = health;
  const named = `build ${shortBuild(build)}`;
  if (verdict === 'superseded') {
    const facts = { fix: gantryCommand`builds list ${app}`, details };
    return new ConflictError(`${named} of ${app} was replaced before it was watched to the end: ${reason}`, facts);
  }
  if (verdict === 'unknown') {
    const doubt = 'the app may be late to show what serves, or somebody has put that build back';
    const [what, why] = observed.shown.earlier
      ? [`whether ${named} of ${app} is healthy`, { why: doubt }]
      : [`${app} serves ${named}, and whether it is healthy`, {}];
    // A watch of what nobody calls sees nothing the next time, too.
    const again = because === 'nothing seen' ? await calling() : goOn;
    const fix =
      because === 'smoke' && smoke.isCallers ? 'correct what --smoke calls, or the text that it expects' : again;
    return new PendingError(`${what} is not known: ${reason}`, { ...why, fix, details });
  }
  return sickError(options, evidence, details);
}

function sickError(
  { app, build, orRollback }: BuildVerification,
  { health: { reason, container, because }, smoke, observed }: FoundHealth,
  details: Record<string, unknown>,
) {
  const said = because === 'smoke' ? smoke.said : undefined;
  const hasEarlier = observed.subject.earlierBuilds.size > 0;
  const logs = container ? gantryCommand`logs ${app} --container ${container}` : gantryCommand`logs ${app} --since 10m`;
  // The log of an app that answered has nothing of it.
  const fix = said !== undefined && hasEarlier && !orRollback ? gantryCommand`rollback ${app}` : logs;
  const answer = said === undefined ? '' : `; it answered ${said}`;
  const serves = orRollback ? '' : `; build ${shortBuild(build)} serves`;
  return new NotReadyError(`${app} is not healthy: ${reason}${answer}${serves}`, { fix, details });
}

/** Adds the end of the log to the error of a sick build, and the cause. A replica is of this build only. */
async function explain(
  context: Context,
  { app, config, seen }: BuildVerification,
  error: GantryError,
  { health: { container }, since }: FoundHealth,
): Promise<void> {
  const ending = endingOf(context);
  const log = await readFailureLog(context, 'log', (until) => {
    const source = appLogSource(until, app, container ? { container } : {});
    return readLogText(until, source, { ending, since: container ? undefined : since });
  });
  const lines = log.slice(-shownLines);
  const of = container ? "the replica's" : "the app's";
  if (lines.length > 0) error.facts.why = `end of ${of} log:\n${lines.join('\n')}`;
  error.facts.log = log;
  error.facts.details = { ...error.facts.details, log: lines };
  await (await import('../causes/index.ts')).addCause(context, error, config, seen);
}

/** How often a watch looks, at first and after a replica came or went, and otherwise: two minutes are 60 requests. In ms. */
const pauses = { firstMs: 2_000, ms: 8_000, firstForMs: 10_000 };

/** Looks until the table of health decides. What is not watched is looked at once, and again while it may be late. */
export async function watchBuild(context: Context, observed: ObservedBuild, smoke: Smoke, watchMs: number | undefined) {
  const { elapsed, delay, progress } = context;
  const started = elapsed();
  const withRuns = watchMs !== undefined;
  const step = withRuns ? progress.step(`Watching ${observed.subject.app}`) : noStep;
  try {
    for (;;) {
      const leftMs = (watchMs ?? 0) - (elapsed() - started);
      const time = timeOf(leftMs);
      await observed.look({ withRuns });
      const health = observed.judge(smoke, time);
      if (health.finding !== 'look again') return health;
      step.update({ text: `${summary(observed.seen)}, ${leftText(leftMs)}` });
      const isCalm = elapsed() - Math.max(started, observed.replicas.changedAt) >= pauses.firstForMs;
      const pauseMs = isCalm ? pauses.ms : pauses.firstMs;
      await delay(time === 'left' ? Math.min(pauseMs, leftMs) : pauseMs);
    }
  } finally {
    step.clear();
  }
}

function timeOf(leftMs: number): HealthFacts['time'] {
  if (leftMs > 0) return 'left';
  return leftMs > -lateMs ? 'late' : 'over';
}

function leftText(leftMs: number): string {
  return leftMs > 0 ? `${duration(leftMs)} left` : 'waiting for what the platform shows late';
}
