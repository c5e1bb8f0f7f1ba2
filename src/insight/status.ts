import { quantile } from '../calls/difference.ts';
import { type Call, countErrors, findJobs, hasSucceeded, Jobs, searchRuns } from '../calls/runs/index.ts';
import { findAppHere, returnNotFound } from '../deploys/apps.ts';
import { fetchBuild, latestBuildOf } from '../deploys/builds/index.ts';
import type { Here } from '../deploys/commit-files.ts';
import { findCommit } from '../deploys/commit-of-build.ts';
import { type AppHistory, allApps, readHistory, recordLook } from '../deploys/history/index.ts';
import { badNow } from '../deploys/replicas.ts';
import { compareHere } from '../deploys/send/index.ts';
import { hourMs } from '../kernel/durations.ts';
import { AuthError, type ExitName, NotFoundError, throwUnexpected } from '../kernel/errors.ts';
import { withNulls } from '../kernel/json-text.ts';
import { once } from '../kernel/once.ts';
import { latestFirst, roundCents, toMs } from '../kernel/output/format.ts';
import { targetText } from '../platform/config/target.ts';
import type { Context } from '../platform/context.ts';
import { type App, appName, listApps, liveBuild } from '../platform/contract/apps.ts';
import { ownStatus } from '../platform/contract/builds.ts';
import { hasCrashed, isRunning, listContainers } from '../platform/contract/containers.ts';
import { shortAppName } from '../platform/contract/endpoint.ts';
import { runOutcome } from '../platform/contract/run-outcome.ts';
import { runTimes } from '../platform/contract/runs.ts';
import { getServiceStatus, type StatusItem, type StatusPage } from '../platform/contract/status.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { contextWith, noStep } from '../platform/waiting/index.ts';
import { explainFailure } from './explain.ts';

/** The state of a project: its apps, the one that changed last first. */
export type ProjectStatus = Awaited<ReturnType<typeof readProjectStatus>>;

export async function readProjectStatus(context: Context) {
  const quiet = silent(context);
  const parts = new Parts(context);
  const [apps, platform] = await Promise.all([
    parts.read('apps', () => readApps(quiet)),
    parts.read('platform', () => readServiceStatus(quiet)),
  ]);
  return { target: targetText(context.target), apps, platform, unknown: parts.unknown, exit: parts.exitOf('apps') };
}

async function readApps({ api, project }: Context) {
  const apps = await api(listApps, { project });
  return apps
    .map(({ status, hardware, updatedAt, ...app }) =>
      withNulls({ app: appName(app, project), status, hardware, updatedAt }),
    )
    .sort(latestFirst(({ updatedAt }) => updatedAt));
}

/** The state of one app. A part that is null either does not exist or is not known: `unknown` says why. */
export type AppStatus = Awaited<ReturnType<typeof readAppStatus>>;

/** Reads the state of an app with at most four requests at once. Throws NotFoundError only for an app that was named. */
export async function readAppStatus(context: Context, name: string, configFile: string) {
  const isHere = (await findAppHere(context, configFile)) === name;
  const quiet = silent(context);
  const parts = new Parts(context);
  const asked = await parts.read('live', () => readApp(quiet, name));
  if (asked instanceof NotFoundError && !isHere) throw asked;
  const status = emptyStatus(targetText(context.target), name);
  if (asked === null) parts.missing(isHere ? [...partsOfApp, 'here'] : partsOfApp, 'live');
  if (asked === null || asked instanceof NotFoundError) {
    const platform = await parts.read('platform', () => readServiceStatus(quiet));
    return { ...status, platform, unknown: parts.unknown, exit: parts.exitOf('live') };
  }
  const app = shortAppName(context.project, asked.id || name);
  // What cannot be read of the history may be that a build is sick.
  const told = contextWith(quiet, { progress: { ...quiet.progress, warn: context.progress.warn } });
  // What only reads for a model writes no file.
  const readRecord = once(() => (context.isForModel ? readHistory(told, app) : recordLook(told, app, asked)));
  const jobs = once(() => findJobs(quiet, app));
  const compared = once(async () =>
    isHere
      ? parts.read('here', async () =>
          compareHere(quiet, configFile, { app: asked, exists: true, history: await readRecord() }),
        )
      : null,
  );
  // What serves was not refused.
  const differs = async () => (await compared())?.changed !== false;
  const [[platform, serving], [counted, here], calls, failure] = await Promise.all([
    inTurn(
      () => parts.read('platform', () => readServiceStatus(quiet)),
      () => parts.read('live', async () => readLive(quiet, { app, configFile }, asked, await readRecord())),
    ),
    inTurn(() => parts.read('replicas', async () => countRunning(quiet, app, asked, await readRecord())), compared),
    parts.read('lastHour', () => readLastHour(quiet, app, jobs)),
    parts.read('failure', () => readFailure(quiet, { app, configFile, callsOnly: true, jobs, differs })),
  ]);
  return withNulls({
    ...status,
    app,
    status: asked.status,
    sick: whySick(counted, calls, serving),
    live: serving?.live,
    latest: latestOf(asked),
    here,
    lastHour: calls?.lastHour,
    failure,
    platform,
    unknown: parts.unknown,
    replicas: counted?.replicas,
    region: asked.region,
    centsPerHour: hourlyCents(parts, counted?.replicas, asked.costPerSecondCents),
  });
}

function hourlyCents(
  parts: Parts,
  replicas: { running: number; others: number } | undefined,
  price: number | undefined,
): number | null {
  if (!replicas) parts.missing(['centsPerHour'], 'replicas');
  else if (price !== undefined) return roundCents(price * 3_600 * (replicas.running + replicas.others));
  else parts.unknown.centsPerHour = 'the platform does not tell the price';
  return null;
}

const partsOfApp = ['replicas', 'lastHour', 'centsPerHour', 'failure'];

function emptyStatus(target: string, app: string) {
  const none = { status: null, sick: null, live: null, latest: null, here: null, replicas: null, region: null };
  return { target, app, ...none, lastHour: null, centsPerHour: null, failure: null, exit: 'ok' as ExitName };
}

/** The error itself for an app that is not deployed: that is known, too. */
async function readApp({ api, project }: Context, app: string): Promise<App | NotFoundError> {
  return fetchApp(api, { project, app }).catch(returnNotFound);
}

async function inTurn<A, B>(first: () => Promise<A>, second: () => Promise<B> | B): Promise<[A, B]> {
  const firstFact = await first();
  return [firstFact, await second()];
}

async function readLive(context: Context, here: Here, asked: App, history: AppHistory) {
  const { api, project } = context;
  const { app } = here;
  const build = liveBuild(asked);
  if (build === undefined) return null;
  const { createdAt = null, updatedAt } = await fetchBuild(api, { project, app, build });
  const commit = await findCommit(context, here, build, history);
  const mark = history.markOf(build) ?? null;
  const sickAt = mark === 'sick' ? toMs(history.sickness(build)?.at) : undefined;
  return { live: { build, createdAt, ...commit, found: mark }, readyAt: toMs(updatedAt), sickAt };
}

/** The latest build, unless it serves. */
function latestOf(app: App) {
  const build = latestBuildOf(app);
  return build === undefined || build === liveBuild(app)
    ? null
    : { build, status: ownStatus(app.lastBuildStatus ?? '') };
}

async function countRunning(context: Context, app: string, asked: App, history: AppHistory) {
  const { api, project } = context;
  const { minReplicaCount: minReplicas = null, maxReplicaCount: maxReplicas = null } = asked;
  const live = liveBuild(asked);
  const [containers, changedAt] = await Promise.all([
    api(listContainers, { project, app }),
    secretsChangedAt(context, history),
  ]);
  const replicas = new Jobs().see({ containers }).replicas(containers);
  const all = replicas.filter(isRunning);
  const ofLive = all.filter(({ buildId }) => !buildId || buildId === live);
  // One without a build may be that of a job.
  const failed = replicas.filter((each) => hasCrashed(each) && each.buildId === live).length;
  const oldSecrets = ofLive.filter(({ containerStartTimestamp: start }) => toMs(start) < changedAt).length;
  const ageMs = context.platformNow() - toMs(history.sent(live)?.at);
  // Of an app that may have none, one that failed may be older than calls that succeeded.
  const bad = (hasFailed: boolean) =>
    badNow(live ?? '', replicas, { ageMs, isKept: Boolean(minReplicas) || hasFailed })?.reason;
  const counts = { running: ofLive.length, failed, others: all.length - ofLive.length, oldSecrets };
  return { replicas: { ...counts, minReplicas, maxReplicas }, bad };
}

/** When secrets of the app or its project last changed, by what is on record, in ms; 0 if nothing is. */
async function secretsChangedAt(context: Context, { events }: AppHistory): Promise<number> {
  const all = [...events, ...(await readHistory(context, allApps)).events];
  const changes = all.filter(({ event }) => event === 'secrets');
  return changes.reduce((latest, { at }) => Math.max(latest, toMs(at)), 0);
}

/** The latest thousand runs tell how many fail. */
async function readLastHour(context: Context, app: string, findJobs: () => Promise<Jobs>) {
  const until = context.platformNow();
  const range = { since: until - hourMs, until, filters: {}, asyncOnly: false, limit: 1_000 };
  const [{ runs, total }, jobs] = await Promise.all([searchRuns(context, { app, ...range }), findJobs()]);
  const calls = jobs.calls(runs);
  const responses = calls.flatMap((call) => runTimes(call).responseMs || []);
  const lastHour = {
    calls: Math.max(total, runs.length) - (runs.length - calls.length),
    errors: countErrors(calls).failed,
    jobs: runs.length - calls.length,
    failedJobs: runs.filter((run) => jobs.isJob(run) && runOutcome(run).startsWith('failed')).length,
    p95Ms: quantile(Float64Array.from(responses).sort(), 0.95),
  };
  return { lastHour, ...endsOf(calls) };
}

/** When the last call began that succeeded, and those that failed since. What is wrong with a request says nothing of the app. */
function endsOf(calls: readonly Call[]) {
  const succeededAt = calls.filter(hasSucceeded).reduce((last, { createdAt }) => Math.max(last, toMs(createdAt)), 0);
  const failed = calls.filter((call) => runOutcome(call) === 'failed');
  return { succeededAt, failedAt: failed.map(({ createdAt }) => toMs(createdAt)).filter((at) => at > succeededAt) };
}

/** Why calls fail by now, by replicas and calls of the live build, or by what was found since one succeeded; null if none shows it. */
function whySick(
  counted: { bad: (hasFailed: boolean) => string | undefined } | null,
  calls: ReturnType<typeof endsOf> | null,
  serving: { readyAt: number; sickAt: number | undefined } | null,
): string | null {
  const { failedAt, succeededAt } = calls ?? endsOf([]);
  const { readyAt = Number.NaN, sickAt = Number.NaN } = serving ?? {};
  const failed = failedAt.filter((at) => !(at < readyAt)).length;
  const down = counted?.bad(failed > 0);
  const reasons = [
    ...(down ? [`the live build does not keep running: ${down}`] : []),
    // A single one may be due to its input.
    ...(failed > 1 ? [`the last ${failed} calls failed`] : []),
  ];
  return reasons.join('; ') || (sickAt > succeededAt ? 'it was found sick when it was deployed' : null);
}

async function readFailure(context: Context, options: Parameters<typeof explainFailure>[1]) {
  const explanation = await explainFailure(context, options);
  const { build, run, at, laterSucceeded = false, title, fix } = explanation;
  return explanation.cause === null ? null : { build, run, at, laterSucceeded, title, fix };
}

/** Reads parts of a status, each of which may fail without the others. The platform is not asked twice if it is down. */
class Parts {
  /** Why parts are not known, by the name of the part. */
  readonly unknown: Record<string, string> = {};
  readonly #exits = new Map<string, ExitName>();

  /** Without a login, or with a profile that does not exist, nothing is waited for. */
  constructor(private readonly context: Context) {
    void context.credential;
  }

  /** Null if the part cannot be had: `unknown` says why. A login that is missing or refused is missing for all parts. */
  async read<T>(name: string, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      throwUnexpected(error, this.context.signal);
      if (error instanceof AuthError) throw error;
      this.unknown[name] = error.message;
      this.#exits.set(name, error.exit);
      return null;
    }
  }

  /** How a command ends that asked for this part above all: with the code of its error, if it is not known. */
  exitOf(name: string): ExitName {
    return this.#exits.get(name) ?? 'ok';
  }

  /** Says that other parts are not known for the reason of this one. */
  missing(names: readonly string[], like: string): void {
    for (const name of names) this.unknown[name] = this.unknown[like] ?? '';
  }
}

/** The context without steps and messages: the status is all that is shown. */
function silent(context: Context): Context {
  const progress = { ...context.progress, step: () => noStep, note() {}, footnote() {}, warn() {} };
  return contextWith(context, { progress });
}

/** What the status page of the platform says. Statuses are its own words, in lower case. */
export type ServiceStatus = ReturnType<typeof parseStatusPage>;

/** Reads the status page. Needs no token. */
async function readServiceStatus({ api, now }: Pick<Context, 'api' | 'now'>) {
  return parseStatusPage(await api(getServiceStatus, {}), now());
}

/** Whether there are no problems. Components that are not monitored do not count. */
export function isOperational({ status, incidents }: Pick<ServiceStatus, 'status' | 'incidents'>): boolean {
  return healthyStatuses.has(status) && incidents.length === 0;
}

/** Parses the page. Any part may be missing: it is read during incidents. Planned maintenance does not count. */
export function parseStatusPage({ data, included }: StatusPage, now: number) {
  const incidents = included
    .filter(({ type }) => type === 'status_report')
    .map((report) => ({
      title: readText(report, 'title') || 'incident',
      status: readStatus(report),
      startsAt: readText(report, 'starts_at') || null,
      endsAt: readText(report, 'ends_at') || null,
    }))
    .filter(({ startsAt, endsAt }) => !(toMs(startsAt) > now || toMs(endsAt) <= now))
    .filter(({ status }) => !healthyStatuses.has(status) && status !== 'resolved');
  return { status: readStatus(data), incidents };
}

const healthyStatuses = new Set(['operational', 'not_monitored']);

function readText({ attributes }: StatusItem, name: string): string {
  const value = attributes?.[name];
  return typeof value === 'string' ? value.trim() : '';
}

function readStatus(item: StatusItem): string {
  return readText(item, 'aggregate_state').toLowerCase() || 'unknown';
}
