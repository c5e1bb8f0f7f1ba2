import type { AppConfig } from '../app/config.ts';
import { readFailureLog } from '../calls/logs/index.ts';
import { type CommandLine, gantryCommand } from '../kernel/command-line.ts';
import { ConflictError, type GantryError, NotReadyError, PendingError } from '../kernel/errors.ts';
import { duration, shortBuild } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { noStep } from '../platform/waiting/index.ts';
import type { Ended, Health, HealthFacts } from './decide.ts';
import { type AppHistory, readHistory, recordEvent, type Verdict } from './history/index.ts';
import {
  allParts,
  type Before,
  type LookPart,
  noSmoke,
  ObservedBuild,
  type Seen,
  type Smoke,
  summary,
  type WatchedBuild,
} from './observed.ts';
import { lateMs, pastOf, servedBefore } from './serving.ts';
import type { SmokeTest } from './smoke.ts';

/** What is asked of a new build, besides that it became ready. */
export interface Verification {
  /** How long to watch its replicas and calls, in ms. */
  watchMs?: number | undefined;
  smokeTests: readonly SmokeTest[];
  /** The command that goes on after an interruption: nothing is sent if nothing has changed. And the one that calls it. */
  goOn: CommandLine;
  calling: CommandLine;
}

export interface BuildVerification extends Verification, Pick<WatchedBuild, 'app' | 'build' | 'minReplicas' | 'isNew'> {
  config?: AppConfig | undefined;
  before?: Before | undefined;
  /** A later build that has replaced it already. */
  serves?: string | undefined;
}

/** What was seen of a healthy build; null where it was not looked at, or not shown. */
export interface HealthSeen extends Seen {
  verdict: 'healthy';
  watchedMs: number;
  smokeCalls: number;
}

const notSeen: Seen = { replicas: null, restarts: null, runs: null, failedRuns: null };

/** What was found of a build, and what a command that asked for a healthy one ends with. */
export interface Verified {
  finding: Ended['finding'];
  /** NotReadyError of a sick one, PendingError if it is not known, ConflictError if another build serves. */
  error?: GantryError;
  /** Once the error has the end of the log, which may be late, and the cause: nothing else needs to wait for it. */
  explained?: Promise<void>;
  /** Of a healthy one, unless it was watched for as long before, and nothing speaks against it now. */
  health?: HealthSeen;
}

/** Calls and watches a build that is live, and writes the verdict down. */
export async function verifyBuild(context: Context, options: BuildVerification): Promise<Verified> {
  const { app, build } = options;
  const { progress, elapsed } = context;
  const started = elapsed();
  if (options.serves !== undefined) return wasReplaced(context, options, options.serves);
  context.interruption.message = `${app} serves build ${shortBuild(build)}, which was not watched to the end`;
  const history = await readHistory(context, app);
  const subject = subjectOf(options, history);
  const observed = new ObservedBuild(context, subject);
  const smoke = await callAll(context, observed, options);
  const isKnown = /^(yes|not asked)$/.test(smoke.says) && (await isStillHealthy(context, options, subject, history));
  const watchMs = isKnown || smoke.says === 'no' ? undefined : options.watchMs;
  if (watchMs === undefined && smoke === noSmoke) return { finding: 'healthy' };
  const { finding, because } = await watchBuild(context, observed, smoke, watchMs);
  if (finding === 'failed') return { finding };
  const { reason, container } = observed.reason(because, smoke);
  const watchedMs = elapsed() - started;
  const watch = watchMs === undefined ? notWatched : watchOf(observed, watchedMs);
  const seen = { ...watch.seen, smokeCalls: smoke.calls };
  const checks = { watchMs: watch.ms };
  const told = finding === 'healthy' ? '' : reason;
  const found = { build, verdict: finding, container, watchedMs };
  await recordEvent(context, app, 'verdict', { ...found, reason: told, seen, checks });
  if (finding !== 'healthy') {
    const failedRunIds = observed.calls.failed();
    // A watch of what nobody calls sees nothing the next time, too.
    const fix = because === 'nothing seen' ? options.calling : options.goOn;
    const details = { app, ...found, verdict: finding, reason, container: container ?? null, ...seen, failedRunIds };
    // As it was known before the calls: what they left in the log is later.
    const about = { ...options, goOn: fix, since: history.servesSince(build) };
    const error = verdictError(about, observed.earlierShown, details);
    return { finding, error, ...(finding === 'sick' && { explained: explain(context, about, error, container) }) };
  }
  progress.note(`${app} is healthy${watch.counted}`);
  if (because === 'few replicas') warn(context, reason, gantryCommand`apps get ${app}`);
  warnOfRestart(context, app, watch.restarted);
  return { finding, health: { verdict: finding, watchedMs, ...seen } };
}

async function callAll(context: Context, observed: ObservedBuild, { smokeTests, config }: BuildVerification) {
  if (smokeTests.length === 0) return noSmoke;
  const { callBuild } = await import('./smoke.ts');
  return callBuild(context, observed, smokeTests, config?.runtime === 'cortex');
}

function warnOfRestart(context: Context, app: string, replica: string | undefined): void {
  if (replica) warn(context, `replica ${replica} restarted once`, gantryCommand`logs ${app} --container ${replica}`);
}

const notWatched = { seen: notSeen, ms: 0, counted: '', restarted: undefined };

function watchOf({ seen, replicas }: ObservedBuild, ms: number) {
  return { seen, ms, counted: ` after ${duration(ms)}: ${summary(seen)}`, restarted: replicas.restarted };
}

/** A build that another one has replaced before it was looked at. */
async function wasReplaced(context: Context, options: BuildVerification, serves: string): Promise<Verified> {
  const { app, build } = options;
  const finding = 'superseded';
  const about = { build, verdict: finding, reason: `build ${shortBuild(serves)} serves now`, watchedMs: 0 } as const;
  const seen = { ...notSeen, smokeCalls: 0 };
  await recordEvent(context, app, 'verdict', { ...about, seen });
  const details = { app, ...about, container: null, ...seen, failedRunIds: [] };
  return { finding, error: verdictError(options, undefined, details) };
}

function warn({ progress }: Context, message: string, fix: CommandLine): void {
  progress.warn({ severity: 'warning', message, fix });
}

function subjectOf(options: BuildVerification, history: AppHistory): WatchedBuild {
  const { build, before } = options;
  const earlier = [...servedBefore(pastOf([], history), build).map(({ id }) => id), ...(before?.builds ?? [])];
  const earlierBuilds = new Set(earlier.filter((id) => id !== build));
  return { ...options, earlierBuilds, sickTimes: history.sickTimes() };
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
  await observed.look(allParts);
  await context.delay(pauses.firstMs);
  await observed.look(allParts);
  const { isWell, doubt, because } = wellSince(observed, health.at);
  const found = `build ${shortBuild(build)} of ${app} was found healthy by a watch of ${duration(health.watchMs)}`;
  if (isWell && because === 'few replicas') warn(context, doubt, gantryCommand`apps get ${app}`);
  context.progress.note(isWell ? `${found}: not watched again` : `${found}, but ${doubt}: watching it again`);
  return isWell;
}

function wellSince(observed: ObservedBuild, since: number) {
  const { keepsReplicas, replicas } = observed;
  const { finding, because } = observed.judge(noSmoke, 'over');
  if (keepsReplicas && replicas.haveStartedSince(since))
    return { isWell: false, doubt: 'all of its replicas have restarted since', because };
  const isWell = finding === 'healthy' || (because === 'nothing seen' && !keepsReplicas);
  return { isWell, doubt: observed.reason(because, noSmoke).reason, because };
}

const shownLines = 20;

interface VerdictDetails extends Record<string, unknown> {
  verdict: Exclude<Verdict, 'healthy'>;
  reason: string;
  container: string | null;
}

/** `shows`: the build that the app shows instead, if that served before. */
function verdictError({ app, build, goOn }: BuildVerification, shows: string | undefined, details: VerdictDetails) {
  const { verdict, reason, container } = details;
  const named = `build ${shortBuild(build)}`;
  if (verdict === 'superseded') {
    const facts = { fix: gantryCommand`builds list ${app}`, details };
    return new ConflictError(`${named} of ${app} was replaced before it was watched to the end: ${reason}`, facts);
  }
  if (verdict === 'unknown') {
    const doubt = 'the app may be late to show what serves, or somebody has put that build back';
    const [what, why] = shows
      ? [`whether ${named} of ${app} is healthy`, { why: doubt }]
      : [`${app} serves ${named}, and whether it is healthy`, {}];
    return new PendingError(`${what} is not known: ${reason}`, { ...why, fix: goOn, details });
  }
  const fix = container ? gantryCommand`logs ${app} --container ${container}` : gantryCommand`logs ${app} --since 10m`;
  return new NotReadyError(`${app} is not healthy: ${reason}`, { fix, details });
}

/** Adds the end of the log to the error of a sick build, and the cause. A replica is of this build only. */
async function explain(
  context: Context,
  { app, config, since }: BuildVerification & { since: number | undefined },
  error: GantryError,
  container: string | undefined,
): Promise<void> {
  const log = await readFailureLog(context, app, container ? { container } : { since });
  const shown = log.slice(-shownLines);
  const of = container ? "the replica's" : "the app's";
  if (shown.length > 0) error.facts.why = `end of ${of} log:\n${shown.join('\n')}`;
  error.facts.log = log;
  error.facts.details = { ...error.facts.details, log: shown };
  await (await import('../causes/index.ts')).addCause(context, error, config);
}

/** How often a watch looks, at first and after a replica came or went, and otherwise: two minutes are 60 requests. In ms. */
export const pauses = { firstMs: 2_000, ms: 5_000, firstForMs: 10_000 };

/** Looks until the table of health decides. What is not watched is looked at once, and again while it may be late. */
export async function watchBuild(context: Context, observed: ObservedBuild, smoke: Smoke, watchMs: number | undefined) {
  const { elapsed, delay, progress } = context;
  const started = elapsed();
  const whole: readonly LookPart[] = watchMs === undefined ? ['app', 'replicas'] : allParts;
  const step = watchMs === undefined ? noStep : progress.step(`Watching ${observed.subject.app}`);
  try {
    for (let looks = 0; ; looks++) {
      const leftMs = (watchMs ?? 0) - (elapsed() - started);
      const time = timeOf(leftMs);
      // Replicas each time, the others in turn: nothing is decided by what is older than one look.
      const parts = looks > 0 && time === 'left' ? partsInTurn[looks % 2] : whole;
      const health = await lookAndJudge(observed, { smoke, time, parts, whole });
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

interface Looking {
  smoke: Smoke;
  time: HealthFacts['time'];
  parts?: readonly LookPart[] | undefined;
  whole: readonly LookPart[];
}

/** What some parts would decide is decided by all of them. */
async function lookAndJudge(observed: ObservedBuild, { smoke, time, parts, whole }: Looking): Promise<Health> {
  await observed.look(parts ?? whole);
  const health = observed.judge(smoke, time);
  if (parts === whole || health.finding === 'look again') return health;
  await observed.look(whole);
  return observed.judge(smoke, time);
}

const partsInTurn: readonly (readonly LookPart[])[] = [
  ['replicas', 'app'],
  ['replicas', 'runs'],
];
