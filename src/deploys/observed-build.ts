import { Jobs, readRunList } from '../calls/runs/index.ts';
import { AuthError, GantryError, NotFoundError } from '../kernel/errors.ts';
import { count, shortBuild } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { type App, appIsUnwell, liveBuild } from '../platform/contract/apps.ts';
import { buildPhase, listBuilds } from '../platform/contract/builds.ts';
import { type Container, listContainers } from '../platform/contract/containers.ts';
import { type Run, replicaOf } from '../platform/contract/runs.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { contextWith, isTooEarly, readEvidence, type Shown, tryRequest } from '../platform/waiting/index.ts';
import { Calls } from './calls.ts';
import { type Because, firstRow, type Health, type HealthFacts, healthTable } from './decide.ts';
import { readJobs } from './history/index.ts';
import { Replicas } from './replicas.ts';

/** The build that is looked at, and what is known of it before. */
export interface WatchedBuild {
  app: string;
  build: string;
  /** What was sent of the scaling, as far as the platform does not show it. */
  minReplicas: number;
  /** Whether this command has deployed it. Another one may have been found healthy before. */
  isNew: boolean;
  /** What there was before it was uploaded; undefined for a build that serves for longer. */
  before?: Before | undefined;
  /** Builds that served before it: an app that shows one of them lags behind. */
  earlierBuilds: ReadonlySet<string>;
  /** When builds served that were found sick, in ms: calls of then are no measure. */
  sickTimes: readonly { from: number; to: number }[];
}

/** What the calls of `--smoke` said. */
export interface Smoke {
  says: HealthFacts['smoke'];
  /** Empty if nothing is wrong. */
  reason: string;
  calls: number;
  /** Whether the call may be wrong: the app refused it (4xx), or answered something else than was expected. */
  isCallers?: boolean | undefined;
  /** The beginning of an answer without the expected text. It is said, but no part of what is on record. */
  said?: string | undefined;
}

export const noSmoke: Smoke = { says: 'not asked', reason: '', calls: 0 };

/** What was looked at; null where the platform did not list it. */
export type Seen = ObservedBuild['seen'];

/** Which build the app shows as live, beside ours. `earlier`: the one that served before. */
interface ShownBuild {
  is: HealthFacts['shows'];
  reason: string;
  earlier?: string;
}

/** Why a build is judged so, in the user's words, and the replica that shows it. */
export interface Reason {
  reason: string;
  container?: string | undefined;
}

/** A build, over all looks of a command. */
export class ObservedBuild {
  readonly replicas: Replicas;
  readonly calls: Calls;
  readonly #jobs: Jobs;
  readonly #started: number;
  #app: App | undefined;
  shown: ShownBuild = { is: 'ours', reason: '' };
  /** Why replicas are not listed. */
  refusal: GantryError | undefined;

  constructor(
    private readonly context: Context,
    readonly subject: WatchedBuild,
  ) {
    const { build, before, isNew, sickTimes } = subject;
    this.#started = context.elapsed();
    this.#jobs = before?.jobs ?? new Jobs();
    this.replicas = new Replicas(build, { earlier: before?.replicas, isNew });
    const knownCalls = { before: before?.runs, sickTimes, jobs: this.#jobs };
    this.calls = new Calls((id) => this.replicas.of(id), knownCalls);
  }

  /** A platform that does not answer is no verdict: the next look may succeed. Throws what that would meet, too. */
  async look({ withRuns }: { withRuns: boolean }): Promise<void> {
    const { context, subject } = this;
    const isKnown: IsKnown = (page, all) => this.calls.isKnown(page, all);
    try {
      this.#see(await look(context, subject.app, withRuns && isKnown));
    } catch (error) {
      const ageMs = subject.isNew ? context.elapsed() - this.#started : Number.POSITIVE_INFINITY;
      const failure = isTooEarly(error, ageMs) ? error : transient(error, context);
      this.shown = { is: 'not known', reason: `the platform did not answer: ${failure.message}` };
    }
  }

  #see({ at, app, containers, runs, started }: AppLook): void {
    const replicas = listed(containers);
    this.#app = app;
    this.shown = this.#shownBy(app && liveBuild(app));
    this.#jobs.see({ started, containers: replicas }).see({ runs: listed(runs) });
    this.refusal = 'refusal' in containers ? containers.refusal : undefined;
    if (replicas) {
      const now = this.context.platformNow();
      this.replicas.see({ at, now, containers: this.#jobs.replicas(replicas), ...this.#scaling });
    }
    if (runs) this.calls.see(runs);
  }

  #shownBy(build: string | undefined): ShownBuild {
    const { subject } = this;
    if (build === undefined || build === subject.build) return { is: 'ours', reason: '' };
    if (!subject.earlierBuilds.has(build)) return { is: 'later', reason: servesNow(build) };
    const reason = `the app shows build ${shortBuild(build)}, which served before`;
    return { is: 'earlier', reason, earlier: build };
  }

  judge(smoke: Smoke, time: HealthFacts['time']): Health & Reason {
    const replicas = this.replicas.facts((id) => this.calls.hasServed(id), time !== 'left');
    const calls = this.calls.facts(time === 'left');
    const status = this.#app?.status;
    const health = firstRow(healthTable, {
      shows: this.shown.is,
      replicas: replicas.state,
      smoke: smoke.says,
      calls: calls.state,
      status: appIsUnwell(status) ? 'bad' : 'good',
      time,
    });
    const reasons: Record<Because, Reason> = {
      shows: this.shown,
      replicas,
      smoke,
      calls,
      status: { reason: `the status of the app is ${status}` },
      'few replicas': { reason: `${replicas.running} of ${count(replicas.min, 'replica')} run` },
      'nothing seen': { reason: calls.reason || replicas.reason || 'no replica and no call of it was seen' },
      '': { reason: '' },
    };
    const { reason, container } = reasons[health.because];
    return { ...health, reason, container };
  }

  get keepsReplicas(): boolean {
    return this.#scaling.minReplicas > 0;
  }

  get #scaling() {
    const { cooldownPeriodSeconds: cooldown = 10, minReplicaCount = this.subject.minReplicas } = this.#app ?? {};
    return { minReplicas: minReplicaCount, cooldownMs: cooldown * 1_000 };
  }

  get seen() {
    return {
      replicas: this.replicas.seen,
      restarts: this.replicas.restarts,
      runs: this.calls.ended,
      failedRuns: this.calls.failedCount,
    };
  }
}

export const servesNow = (build: string) => `build ${shortBuild(build)} serves now`;

/** `2 replicas, 14 runs, 0 failed`. */
export function summary({ replicas, restarts, runs, failedRuns }: Seen): string {
  const calls = runs === null ? ['calls are not known'] : [count(runs, 'run'), `${failedRuns} failed`];
  const parts = [replicas === null ? 'replicas are not known' : count(replicas, 'replica'), ...calls];
  if (replicas && restarts === null) parts.push('restarts are not shown');
  return restarts ? [...parts, count(restarts, 'restart')].join(', ') : parts.join(', ');
}

function transient(error: unknown, { signal }: Context): GantryError {
  const isFinal = !(error instanceof GantryError) || error instanceof AuthError || error instanceof NotFoundError;
  if (signal.aborted || isFinal) throw error;
  return error;
}

/** What the platform showed at one time. */
interface AppLook {
  /** The time of the look, in ms of a clock that does not jump. */
  at: number;
  app?: App | undefined;
  containers: Shown<readonly Container[]>;
  /** Newest first, jobs as well. Undefined: they were not asked for. */
  runs?: Shown<readonly Run[]> | undefined;
  /** Ids of jobs that were started from here. */
  started: ReadonlySet<string>;
}

/** Whether the runs after a page are known, and cannot change any more. `all`: the runs of this page and before. */
type IsKnown = (page: readonly Run[], all: readonly Run[]) => boolean;

/** Runs that a look reads at most: those of the first one are compared with. */
const maxRunsRead = 1_000;

/** `isKnown`: how far runs are read; false if they are not asked for. The app last: what ended for a later build shows that. */
async function look(context: Context, name: string, isKnown: IsKnown | false): Promise<AppLook> {
  const { api, project, elapsed } = context;
  const isEnough: IsKnown = (page, all) => isKnown && (isKnown(page, all) || all.length >= maxRunsRead);
  const [containers, runs, started] = await Promise.all([
    readEvidence(() => api(listContainers, { project, app: name })),
    isKnown ? readEvidence(async () => (await readRunList(context, name, { isEnough })).runs) : undefined,
    readJobs(context, name),
  ]);
  const app = await fetchApp(api, { project, app: name });
  return { at: elapsed(), app, containers, runs, started };
}

/** What there was of an app before a build was uploaded: nothing of it is of that build. */
export interface Before {
  /** Those that had succeeded, and the one that was shown as live. */
  builds: ReadonlySet<string>;
  /** Undefined: not listed. */
  replicas: ReadonlySet<string> | undefined;
  runs: readonly Run[];
  jobs: Jobs;
}

/** Best effort, in seconds. */
export async function lookBefore(context: Context, name: string): Promise<Before> {
  const { project } = context;
  const [appLook, builds = []] = await Promise.all([
    tryRequest(context, (api) => look(contextWith(context, { api }), name, () => false).catch(nothingOf)),
    tryRequest(context, (api) => api(listBuilds, { project, app: name })),
  ]);
  const containers = listed(appLook?.containers);
  const runs = listed(appLook?.runs) ?? [];
  const ready = builds.flatMap(({ id, status }) => (buildPhase(status) === 'succeeded' ? id : []));
  const replicas = containers && [...containers.map(({ containerId }) => containerId), ...runs.map(replicaOf)];
  return {
    builds: new Set([...ready, appLook?.app && liveBuild(appLook.app)].filter((id) => id !== undefined)),
    replicas: replicas && new Set(replicas.filter(Boolean)),
    runs,
    jobs: new Jobs().see({ started: appLook?.started, containers }).see({ runs }),
  };
}

function listed<T>(evidence: Shown<T> | undefined): T | undefined {
  return evidence && 'state' in evidence ? evidence.state : undefined;
}

function nothingOf(error: unknown): AppLook {
  if (error instanceof NotFoundError) return { at: 0, containers: { state: [] }, started: new Set() };
  throw error;
}
