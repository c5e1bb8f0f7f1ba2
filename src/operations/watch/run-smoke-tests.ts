import { CachedCopyError } from '../../api/cached-copy.ts';
import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { buildPhase, listBuilds } from '../../contract/builds.ts';
import { type Container, listContainers } from '../../contract/containers.ts';
import type { Run } from '../../contract/runs.ts';
import { AppError, GantryError, UnavailableError } from '../../errors.ts';
import { dollars, duration, shortBuild } from '../../output/format.ts';
import { invokeApp, readResponse } from '../invoke/index.ts';
import { fetchApp } from '../replies/index.ts';
import { fetchRun, Jobs, runHasFailed } from '../runs/index.ts';
import { contextWith, isRefusal, untilKnown } from '../waiting/index.ts';
import { goneMs, type Owner, type ReplicaOwners } from './replica-owners.ts';
import { findProblem } from './smoke-answer.ts';
import type { SmokeTest } from './smoke-test.ts';

export interface SmokeOptions {
  app: string;
  build: string;
  tests: readonly SmokeTest[];
  /** Whether the platform writes its own around what a function returns: the id and the time of its run. */
  isEnveloped: boolean;
  /** What is known of its replicas. */
  owners: ReplicaOwners;
  /** Builds that served before it: an app that shows one of them lags behind. */
  earlierBuilds: ReadonlySet<string>;
}

/** What the calls of a new build showed. */
export interface SmokeResult {
  verdict: 'healthy' | 'sick' | 'unknown' | 'superseded';
  /** Why it is not healthy; empty if it is. */
  reason: string;
  calls: number;
}

/** How long an app may take to answer, its start included, in ms. */
const answerMs = 600_000;
/** How long a replica that has answered may take to be listed, and one that is gone from the list may answer. */
const listedMs = 10_000;
const pauseMs = 2_000;

/**
 * Calls the new build itself: an answer counts only if its replica is of that build. This wakes an app that has no
 * replica, which costs what the replica does.
 */
export async function runSmokeTests(context: Context, options: SmokeOptions): Promise<SmokeResult> {
  let calls = 0;
  const answering = new Answering(context, options);
  for (const test of options.tests) {
    const result = await runTest(context, options, test, answering);
    calls += result.calls;
    if (result.verdict !== 'healthy') return { ...result, calls };
  }
  return { verdict: 'healthy', reason: '', calls };
}

async function runTest(
  context: Context,
  { app, isEnveloped }: SmokeOptions,
  test: SmokeTest,
  answering: Answering,
): Promise<SmokeResult> {
  const { elapsed, delay, progress } = context;
  const started = elapsed();
  const { name } = test;
  for (let calls = 1; ; calls++) {
    const answer = await call(context, app, test, isEnveloped);
    const { by, cents, unseen, later } = await answering.find(answer);
    if (later !== undefined) return { verdict: 'superseded', reason: `build ${shortBuild(later)} serves now`, calls };
    if (by === 'own') {
      const cost =
        cents === undefined ? 'its cost is not known' : `about ${dollars((cents * answer.durationMs) / 1_000)}`;
      progress.note(`${test.typed}: ${answer.problem ?? 'answered'} in ${duration(answer.durationMs)}, ${cost}`);
      if (answer.problem === undefined) return { verdict: 'healthy', reason: '', calls };
      const verdict = answer.isUnreachable ? 'unknown' : 'sick';
      return { verdict, reason: `${name}: ${answer.problem}`, calls };
    }
    if (by === 'nobody' && elapsed() - started > listedMs) {
      const reason = `${name}: ${answer.problem ?? 'answered'}, and which build did is not known: ${unseen}`;
      return { verdict: 'unknown', reason, calls };
    }
    if (elapsed() - started > goneMs) {
      const reason = `${name}: replicas of the build before still answered after ${duration(goneMs)}`;
      return { verdict: 'unknown', reason, calls };
    }
    await delay(pauseMs);
  }
}

interface Answer {
  run: string | undefined;
  durationMs: number;
  /** What is wrong with it; undefined if nothing is. */
  problem?: string;
  /** The app has not answered at all. */
  isUnreachable?: boolean;
  /** What lies before the app may have refused the call: the app has failed only if it has a run that did. */
  isOfGateway?: boolean;
}

async function call(context: Context, app: string, test: SmokeTest, isEnveloped: boolean): Promise<Answer> {
  const { elapsed } = context;
  const { path, fn, data } = test;
  const started = elapsed();
  // The call sets what Ctrl-C prints, which is for the deploy to say.
  const quiet = contextWith(context, { interruption: {} });
  const args = fn === undefined ? [] : [fn];
  const method = path === undefined ? undefined : 'GET';
  try {
    const result = await invokeApp(quiet, { app, args, data, path, method, auth: true, timeout: answerMs });
    if (!('response' in result)) return { run: undefined, durationMs: elapsed() - started };
    const read = await readResponse(result.response, elapsed);
    const found = await findProblem(result.response, read, test, isEnveloped);
    const { run, durationMs } = read;
    return { run: run ?? undefined, durationMs, ...(found && { problem: found.problem, isUnreachable: found.isNone }) };
  } catch (error) {
    if (!(error instanceof GantryError) || context.signal.aborted) throw error;
    const { run } = (error.facts.details ?? {}) as { run?: string | null };
    const isUnreachable = error instanceof UnavailableError && error.facts.status === undefined;
    const isRedirect = error.facts.status !== undefined && error.facts.status < 400;
    const isOfGateway = !isUnreachable && (isRedirect || !(error instanceof AppError));
    return {
      run: run ?? undefined,
      durationMs: elapsed() - started,
      problem: error.message,
      isUnreachable,
      isOfGateway,
    };
  }
}

interface Answered {
  /** The build that is tested, the one before it, or none that is known. */
  by: 'own' | 'earlier' | 'nobody';
  /** A build that has replaced the tested one. */
  later?: string;
  /** Why it is not known. */
  unseen?: string;
  /** What a replica costs, per second. */
  cents: number | undefined;
}

/** Which build has answered: that of the replica that the run names. */
class Answering {
  readonly #owners: ReplicaOwners;
  #showsNoRuns = false;

  constructor(
    private readonly context: Context,
    private readonly options: SmokeOptions,
  ) {
    this.#owners = options.owners;
  }

  /** The record of a run may be late: it is waited for before anything is called again. What a gateway refuses has none. */
  async find(answer: Answer): Promise<Answered> {
    const { api, project, delay } = this.context;
    const { run } = answer;
    const params = { project, app: this.options.app, run: run ?? '' };
    const item = run === undefined ? undefined : await orUndefined(fetchRun(api, params));
    const found = await this.#find(answer, item);
    const isOpen = !answer.isOfGateway && found.by !== 'own' && found.later === undefined;
    if (run === undefined || item || !isOpen || this.#showsNoRuns) return found;
    const shown = await orUndefined(untilKnown(() => fetchRun(api, params), delay));
    this.#showsNoRuns = shown === undefined;
    return shown ? this.#find(answer, shown) : found;
  }

  async #find({ isOfGateway }: Answer, item: Run | undefined): Promise<Answered> {
    const { api, project } = this.context;
    const { app, build, earlierBuilds } = this.options;
    const [shown, listed] = await Promise.all([
      fetchApp(api, { project, app }).catch(unshown),
      api(listContainers, { project, app }).catch(gantryError),
    ]);
    if (shown instanceof GantryError) return { by: 'nobody', cents: undefined, unseen: shown.message };
    const cents = shown.costPerSecondCents;
    const live = liveBuild(shown);
    const isReplaced = live !== undefined && live !== build && !earlierBuilds.has(live);
    if (isReplaced) return { by: 'nobody', later: live, cents };
    if (listed instanceof GantryError) {
      return { by: 'nobody', cents, unseen: `replicas are not listed (${listed.message})` };
    }
    const containers = new Jobs().see({ containers: listed }).replicas(listed);
    this.#owners.see(containers, this.context.elapsed());
    if (isOfGateway && !(item && runHasFailed(item))) {
      return { by: 'nobody', cents, unseen: 'no run of the app has failed by this call' };
    }
    const replica = item?.containerId || item?.podName;
    return { cents, ...(replica ? this.#ofReplica(replica, containers) : await this.#ofOnlyOne(containers)) };
  }

  #ofReplica(replica: string, containers: readonly Container[]): Pick<Answered, 'by' | 'unseen'> {
    const owner = this.#owners.of(replica);
    if (owner === 'own') return { by: 'own' };
    const listed = containers.find(({ containerId }) => containerId === replica);
    const { earlierBuilds } = this.options;
    const other = listed?.buildId ?? '';
    const isLater = other !== '' && earlierBuilds.size > 0 && !earlierBuilds.has(other);
    if (owner === 'other' && isLater) return { by: 'nobody', unseen: `its replica is one of ${shortBuild(other)}` };
    if (owner === 'other') return { by: 'earlier' };
    return { by: 'nobody', unseen: listed ? 'its replica is listed without a build' : 'its replica is not listed' };
  }

  /** Where the run names no replica: one of another build may have answered, whether it was ever listed or not. */
  async #ofOnlyOne(containers: readonly Container[]): Promise<Pick<Answered, 'by' | 'unseen'>> {
    const hasOwner = (wanted: Owner) =>
      containers.some(({ containerId, isTerminating }) => !isTerminating && this.#owners.of(containerId) === wanted);
    if (hasOwner('other')) return { by: 'earlier' };
    if (!(await this.#isFirst())) return { by: 'nobody', unseen: 'its run names no replica' };
    if (hasOwner('own')) return { by: 'own' };
    return { by: 'nobody', unseen: 'no replica of it is listed' };
  }

  /** Whether no other build has served, as far as the platform and the history know by now. */
  async #isFirst(): Promise<boolean> {
    const { api, project } = this.context;
    const { app, build, earlierBuilds } = this.options;
    if (earlierBuilds.size > 0) return false;
    const builds = await orUndefined(api(listBuilds, { project, app }));
    return builds?.every(({ id, status }) => id === build || buildPhase(status) !== 'succeeded') ?? false;
  }
}

async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => void gantryError(error));
}

/** The app may not be shown yet. */
function unshown(error: unknown): GantryError {
  if (error instanceof CachedCopyError || isRefusal(error)) return error;
  throw error;
}

function gantryError(error: unknown): GantryError {
  if (error instanceof GantryError) return error;
  throw error;
}
