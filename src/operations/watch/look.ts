import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { buildPhase, listBuilds } from '../../contract/builds.ts';
import { type Container, listContainers } from '../../contract/containers.ts';
import type { Run } from '../../contract/runs.ts';
import { GantryError, NotFoundError } from '../../errors.ts';
import { readJobs } from '../history/index.ts';
import { fetchApp } from '../replies/index.ts';
import { Jobs, readRunList } from '../runs/index.ts';
import { contextWith, isRefusal, tryRequest } from '../waiting/index.ts';
import type { ReplicaOwners } from './replica-owners.ts';
import { ReplicaReads } from './replica-reads.ts';

/** What the platform showed at one time. Undefined: it did not show it. */
export interface Look {
  /** When, in ms of a clock that does not jump. */
  at: number;
  /** The build that serves. */
  live?: string | undefined;
  /** That of the app. */
  status?: string | undefined;
  containers?: readonly Container[] | undefined;
  /** Newest first, jobs as well: see {@link Jobs}. */
  runs?: readonly Run[] | undefined;
  /** Ids of jobs that were started from here. */
  started?: ReadonlySet<string>;
  /** Why runs are not shown. */
  runsRefused?: string | undefined;
  /** Replicas that the app keeps without calls. */
  minReplicas?: number | undefined;
  /** How long a replica without calls is kept, in ms. */
  cooldownMs?: number | undefined;
}

/** What there was of an app before a build was uploaded: nothing of it is of that build. */
export interface Before {
  /** Those that had succeeded, and the one that was shown as live. */
  builds: ReadonlySet<string>;
  /** Undefined: not listed. */
  replicas?: ReadonlySet<string> | undefined;
  reads: ReplicaReads;
  runs: readonly Run[];
  jobs: Jobs;
}

export interface ObservedOptions {
  /** What there was before it was uploaded; undefined for a build that serves for longer. */
  before?: Before | undefined;
  /** Builds that served before it: an app that shows one of them lags behind. */
  earlierBuilds?: ReadonlySet<string> | undefined;
  /** When builds served that are no measure, since they were found sick: from a time in ms up to another. */
  sickTimes?: readonly { from: number; to: number }[] | undefined;
  /** Whether all restarts of replicas are recent. */
  isNew?: boolean | undefined;
  /** A time in ms since when no other build has served: runs are its own, also those of the first look. */
  servesSince?: number | undefined;
  /** What is known of its replicas. */
  owners?: ReplicaOwners | undefined;
}

/** Runs that a look reads at most: those of the first one are compared with. */
const maxRunsRead = 1_000;

/** Looks at an app. Pages of runs end with the first on which every run is known and cannot change any more. */
export async function lookAt(context: Context, app: string, isSettled: (run: Run) => boolean): Promise<Look> {
  const { api, project, elapsed } = context;
  const isEnough = (page: readonly Run[], all: readonly Run[]) => page.every(isSettled) || all.length >= maxRunsRead;
  const [shown, containers, runs, started] = await Promise.all([
    fetchApp(api, { project, app }),
    unlessRefused(api(listContainers, { project, app })),
    readRunList(context, app, { isEnough }).catch(refusal),
    readJobs(context, app),
  ]);
  const { cooldownPeriodSeconds, minReplicaCount } = shown;
  return {
    at: elapsed(),
    live: liveBuild(shown),
    status: shown.status ?? undefined,
    containers,
    ...(runs instanceof GantryError ? { runsRefused: runs.message } : { runs: runs.runs }),
    started,
    minReplicas: minReplicaCount ?? undefined,
    cooldownMs: typeof cooldownPeriodSeconds === 'number' ? cooldownPeriodSeconds * 1_000 : undefined,
  };
}

/**
 * Best effort, and in seconds: the deploy waits for it. A new app has nothing. `known`: from an earlier look, since what
 * is gone from the lists by now may still answer.
 */
export async function lookBefore(context: Context, app: string, known?: Before): Promise<Before> {
  const { project } = context;
  const [look, builds] = await Promise.all([
    tryRequest(context, (api) => lookAt(contextWith(context, { api }), app, () => false).catch(nothingOf)),
    tryRequest(context, (api) => api(listBuilds, { project, app })),
  ]);
  const { at = 0, live, containers, started, runs = known?.runs ?? [] }: Partial<Look> = look ?? {};
  const { reads = new ReplicaReads(), jobs = new Jobs() } = known ?? {};
  jobs.see({ started, containers }).see({ runs });
  if (containers) reads.see(containers, at);
  const ready = (builds ?? []).filter(({ status }) => buildPhase(status) === 'succeeded');
  const listed =
    containers && [...containers, ...runs].map(({ containerId, podName }: Replica) => containerId || podName);
  return {
    builds: new Set([...(known?.builds ?? []), ...ready.map(({ id }) => id), live ?? ''].filter(Boolean)),
    replicas: listed ? new Set([...(known?.replicas ?? []), ...listed.flatMap((id) => id || [])]) : known?.replicas,
    ...{ reads, runs, jobs },
  };
}

/** Of a list of replicas or of runs. */
interface Replica {
  containerId?: string | null | undefined;
  podName?: string | null | undefined;
}

function nothingOf(error: unknown): Partial<Look> {
  if (error instanceof NotFoundError) return { containers: [] };
  throw error;
}

/** What a token may not read, or a platform does not list, is not looked at. */
async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => void refusal(error));
}

function refusal(error: unknown): GantryError {
  if (isRefusal(error)) return error;
  throw error;
}
