import { appLogSource, buildLogSource, endingOf, readLogText } from '../calls/logs/index.ts';
import {
  fetchRun,
  findJobs,
  hasSucceeded,
  type Jobs,
  type RunLog,
  readExitCode,
  readFailedCall,
  readNewestRuns,
  readRunList,
  readRunLog,
  recentMs,
  resolveRun,
  runHasFailed,
  runStatus,
} from '../calls/runs/index.ts';
import type { FailureFacts } from '../causes/index.ts';
import { fetchBuild, findListedBuild, latestBuildOf } from '../deploys/builds/index.ts';
import { type AppHistory, readHistory } from '../deploys/history/index.ts';
import { lookForBad } from '../deploys/observe.ts';
import { gantryCommand } from '../kernel/command-line.ts';
import { readNamedFile } from '../kernel/disk/index.ts';
import { UsageError } from '../kernel/errors.ts';
import { defined } from '../kernel/json-text.ts';
import { latestFirst, shortBuild, toMs } from '../kernel/output/format.ts';
import { boolean, nullable, type ObjectOf, optional, text } from '../kernel/shape.ts';
import type { Context } from '../platform/context.ts';
import { type App, liveBuild } from '../platform/contract/apps.ts';
import { type Build, buildHasFailed, buildPhase, listBuilds, ownStatus } from '../platform/contract/builds.ts';
import type { Run } from '../platform/contract/runs.ts';
import { readIdWord } from '../platform/ids.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { isRefusal, unless, unlessMissing, untilShown } from '../platform/waiting/index.ts';

export const subjectFields = {
  app: nullable(text('app; null with --file')),
  build: nullable(text('build that is explained')),
  run: nullable(text('run that is explained')),
  status: nullable(text('its status')),
  at: nullable(text('when it ended, RFC 3339, UTC'), 'not known'),
  failed: nullable(boolean('whether it failed; null with --file')),
  laterSucceeded: optional(boolean('whether a later call of the same function succeeded')),
};

/** A build or a run, or a log, that is to be explained. */
export interface Subject extends ObjectOf<typeof subjectFields> {
  /** Whether there may be newer runs than the platform lists. */
  mayLack?: boolean;
  /** False for an app that has no build. */
  isDeployed?: boolean;
  /** What the platform says about the failure. */
  facts: FailureFacts;
  readLog: () => Promise<Pick<RunLog, 'text'> & Partial<RunLog>>;
}

export interface SubjectOptions {
  /** Undefined with a file. */
  app: string | undefined;
  /** The id of a build or a run; by default the latest build if it failed, else the latest run that failed. */
  id?: string | undefined;
  /** A log to explain instead; `-` is stdin. */
  file?: string | undefined;
  /** Only what says something of the app: no jobs. */
  callsOnly?: true;
  /** The jobs of the app, if they are read for other purposes as well. */
  jobs?: () => Promise<Jobs>;
}

/** Finds what to explain. Throws UsageError if nothing is named. */
export async function findSubject(context: Context, options: SubjectOptions): Promise<Subject> {
  const { app, id, file } = options;
  if (file !== undefined) return fileSubject(context, file);
  if (app === undefined) throw new UsageError('nothing to explain', { fix: gantryCommand`explain --help` });
  if (id !== undefined) return findById(context, app, id);
  const deployed = await fetchApp(context.api, { project: context.project, app });
  const { last, latest } = await readLatest(context, app, latestBuildOf(deployed));
  const build = latest && (await buildSubject(context, app, latest));
  if (build?.failed) return build;
  const incident = (await readHistory(context, app)).incident(liveBuild(deployed));
  if (incident !== undefined) return readBuild(context, app, incident);
  return withoutFailedBuild(context, deployed, { app, last, latest }, options);
}

async function withoutFailedBuild(
  context: Context,
  { minReplicaCount = 0 }: App,
  { app, last, latest }: Latest & { app: string },
  options: SubjectOptions,
): Promise<Subject> {
  const { newest, failed } = await findFailedRun(context, app, options);
  const { callsOnly } = options;
  // One that is not ready is what is waited for, unless a call failed after it began.
  if (last && !callsOnly && !isReady(last.status) && !(toMs(failed?.at) > toMs(last.createdAt)))
    return buildSubject(context, app, last);
  const bad = latest && !callsOnly && !failed && (await nowBad(context, app, latest, minReplicaCount > 0));
  if (bad) return bad;
  // Younger runs may not be listed yet.
  const mayLack = !callsOnly && !(context.platformNow() - toMs(newest?.createdAt) > recentMs);
  return { ...(failed ?? { app, failed: false, ...noWork, mayLack }), isDeployed: latest !== undefined };
}

/** A build whose replicas crash by now: nothing of it has failed before. */
async function nowBad(context: Context, app: string, { id: build }: Build, isKept: boolean) {
  const history = await readHistory(context, app);
  const bad = await lookForBad(context, app, build, { sentAt: history.sent(build)?.at, isKept });
  const at = new Date(context.platformNow()).toISOString();
  return bad && sickSubject(context, app, { ...bad, build, at }, history.servesSince(build));
}

type Latest = { last?: Build | undefined; latest?: Build | undefined };

/** The last build, and the last that has ended. */
async function readLatest(context: Context, app: string, latest: string | undefined): Promise<Latest> {
  const { api, project } = context;
  if (latest === undefined) return {};
  const last = await unless(isRefusal, fetchBuild(api, { project, app, build: latest }));
  return { last, latest: await endedBuild(context, app, last) };
}

/** The newest that has ended: another deploy that has begun, or is not shown yet, says nothing of the one that failed. */
async function endedBuild({ api, project, progress }: Context, app: string, newest: Build | undefined) {
  const hasEnded = ({ status }: Build) => buildPhase(status) !== 'in progress';
  if (newest && hasEnded(newest)) return newest;
  const [ended] = (await api(listBuilds, { project, app }))
    .filter(hasEnded)
    .sort(latestFirst(({ createdAt }) => createdAt));
  if (newest && ended)
    progress.note(
      `build ${shortBuild(newest.id)} is in progress: build ${shortBuild(ended.id)} is the newest that ended`,
    );
  return ended;
}

/** Neither the latest build nor a run has failed, and no build was rolled back. */
const noWork = { build: null, run: null, status: null, at: null, facts: {}, readLog: async () => ({ text: '' }) };

function fileSubject(context: Context, file: string): Subject {
  const readLog = async () => {
    const text = file === '-' ? await context.readStdin() : String(await readNamedFile(context, file));
    if (text.trim() === '') throw new UsageError(`${file === '-' ? 'stdin' : file} has no log: it is empty`);
    return { text };
  };
  return { app: null, ...noWork, failed: null, readLog };
}

/** What is named by its whole id may just have been created: it is waited for. */
function findById(context: Context, app: string, id: string): Promise<Subject> {
  const find = () => findNamed(context, app, id);
  return 'id' in readIdWord(id) ? untilShown(find, context, { id }) : find();
}

async function findNamed(context: Context, app: string, id: string): Promise<Subject> {
  const wanted = readIdWord(id);
  const isWhole = 'id' in wanted && !wanted.mayBeBeginning;
  const { api, project } = context;
  const named = 'id' in wanted ? await unlessMissing(fetchBuild(api, { project, app, build: id })) : undefined;
  const listed = named ?? (isWhole ? undefined : await findListedBuild(context, app, id));
  const build = listed && 'latest' in wanted ? ((await endedBuild(context, app, listed)) ?? listed) : listed;
  const findRun = async () =>
    runSubject(context, app, await fetchRun(api, { project, app, run: await resolveRun(context, app, id) }));
  if (!build) return findRun();
  const subject = await buildSubject(context, app, build);
  return latestOf(subject, 'latest' in wanted ? await unlessMissing(findRun()) : undefined);
}

/** The one that failed, or the newer one. */
const latestOf = (build: Subject, run = build): Subject =>
  (run.failed === build.failed ? toMs(run.at) > toMs(build.at) : run.failed) ? run : build;

async function readBuild(context: Context, app: string, id: string): Promise<Subject> {
  const { api, project } = context;
  return buildSubject(context, app, await fetchBuild(api, { project, app, build: id }));
}

async function buildSubject(context: Context, app: string, listed: Build): Promise<Subject> {
  const { id: build, status, initError, updatedAt } = listed;
  const ending = buildHasFailed(status) ? endingOf(context, updatedAt) : undefined;
  const history = await readHistory(context, app);
  const sickness = history.sickness(build);
  if (sickness && !buildHasFailed(status))
    return sickSubject(context, app, sickness, history.servesSince(sickness.build));
  return {
    app,
    build,
    run: null,
    status: ownStatus(status),
    at: updatedAt ?? null,
    failed: buildHasFailed(status),
    facts: { source: 'build', status, reason: initError || undefined },
    readLog: async () => ({
      text: await readLogText(context, buildLogSource(context, app, build), { ending }),
      command: gantryCommand`logs ${app} --build ${build}`,
    }),
  };
}

/**
 * A build that became ready, and that a watch found sick, or of the same files as that: its replicas or its calls failed.
 * `since`, in ms since 1970: lines of the app before are of other builds; those of a replica are its own.
 */
function sickSubject(context: Context, app: string, sickness: Sickness, since: number | undefined): Subject {
  const { build, at, container, reason } = sickness;
  const log = appLogSource(context, app, container === undefined ? {} : { container });
  return {
    app,
    build,
    run: null,
    status: 'sick',
    at,
    failed: true,
    facts: { source: 'run', status: 'sick', reason },
    readLog: async () => ({
      text: await readLogText(context, log, { since: container === undefined ? since : undefined }),
      command: gantryCommand`logs ${app} ${{ '--container': container }}`,
    }),
  };
}

type Sickness = Pick<NonNullable<ReturnType<AppHistory['sickness']>>, 'build' | 'at' | 'container' | 'reason'>;

/** A failed call says something of the app, a failed job only of itself. A status looks at the latest runs only. */
async function findFailedRun(context: Context, app: string, { callsOnly, jobs }: SubjectOptions) {
  const read = callsOnly ? readRunList : readNewestRuns;
  const { runs } = await read(context, app, { isEnough: (page) => callsOnly ?? page.some(runHasFailed) });
  const calls = (await (jobs?.() ?? findJobs(context, app))).calls(runs);
  const at = calls.findIndex(runHasFailed);
  const run = calls[at] ?? (callsOnly ? undefined : runs.find(runHasFailed));
  const [newest] = runs;
  if (run === undefined) return { newest };
  const later = calls.slice(0, Math.max(0, at));
  const laterSucceeded = later.some((call) => call.functionName === run.functionName && hasSucceeded(call));
  return { newest, failed: { ...(await runSubject(context, app, run)), laterSucceeded } };
}

async function runSubject(context: Context, app: string, run: Run): Promise<Subject> {
  const status = runStatus(run);
  const failed = runHasFailed(run);
  const reason = failed ? await readFailedCall(context, app, run.id) : undefined;
  return {
    app,
    build: null,
    run: run.id,
    status,
    at: run.completedAt ?? run.createdAt ?? null,
    failed,
    facts: {
      source: 'run',
      status,
      reason,
      statusCode: run.statusCode ?? undefined,
      ...defined({ exitCode: readExitCode(run) ?? undefined }),
    },
    readLog: () => readRunLog(context, app, run),
  };
}

/** Whether a build with this status is ready. */
export const isReady = (status: string) => buildPhase(status) === 'succeeded';
