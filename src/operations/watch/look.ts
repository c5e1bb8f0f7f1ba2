import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { liveBuild } from '../../contract/apps.ts';
import { buildPhase, listBuilds } from '../../contract/builds.ts';
import { type Container, listContainers } from '../../contract/containers.ts';
import { getRunsChart, listRuns, type Run } from '../../contract/runs.ts';
import { DeniedError, GantryError, NotFoundError } from '../../errors.ts';
import { fetchApp, type PagePosition, readPages } from '../replies/index.ts';
import { runKey } from '../runs/index.ts';
import { tryRequest } from '../waiting/index.ts';
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
  /** Newest first. */
  runs?: readonly Run[] | undefined;
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
}

/** Runs that a look reads at most: those of the first one are compared with. */
const maxRunsRead = 1_000;
const pageRuns = 100;
/** How far back the chart is asked for runs to compare with, in ms. */
const comparedFromMs = -6 * 3_600_000;

/** Looks at an app. Pages of runs end with the first on which every run is known and cannot change any more. */
export async function lookAt(
  context: Pick<Context, 'api' | 'project' | 'platformNow' | 'elapsed'>,
  app: string,
  isSettled: (run: Run) => boolean,
): Promise<Look> {
  const { api, project, elapsed } = context;
  const [shown, containers, runs] = await Promise.all([
    fetchApp(api, { project, app }),
    unlessRefused(api(listContainers, { project, app })),
    readRuns(context, app, isSettled).catch(refusal),
  ]);
  const { cooldownPeriodSeconds, minReplicaCount } = shown;
  return {
    at: elapsed(),
    live: liveBuild(shown),
    status: shown.status ?? undefined,
    containers,
    ...(runs instanceof GantryError ? { runsRefused: runs.message } : { runs }),
    minReplicas: minReplicaCount ?? undefined,
    cooldownMs: typeof cooldownPeriodSeconds === 'number' ? cooldownPeriodSeconds * 1_000 : undefined,
  };
}

/**
 * Best effort, and in seconds: the deploy waits for it. A new app has nothing. `known`: from an earlier look, since what
 * is gone from the lists by now may still answer.
 */
export async function lookBefore(context: Context, app: string, known?: Before): Promise<Before> {
  const { project, platformNow, elapsed } = context;
  const [look, builds] = await Promise.all([
    tryRequest(context, (api) => lookAt({ api, project, platformNow, elapsed }, app, () => false).catch(nothingOf)),
    tryRequest(context, (api) => api(listBuilds, { project, app })),
  ]);
  const { at = 0, live, containers, runs = known?.runs ?? [] }: Partial<Look> = look ?? {};
  const reads = known?.reads ?? new ReplicaReads();
  if (containers) reads.see(containers, at);
  const ready = (builds ?? []).filter(({ status }) => buildPhase(status) === 'succeeded');
  const listed =
    containers && [...containers, ...runs].map(({ containerId, podName }: Replica) => containerId || podName);
  return {
    builds: new Set([...(known?.builds ?? []), ...ready.map(({ id }) => id), live ?? ''].filter(Boolean)),
    replicas: listed ? new Set([...(known?.replicas ?? []), ...listed.flatMap((id) => id || [])]) : known?.replicas,
    reads,
    runs,
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

/** Of all pages: a busy app has more runs between two looks than fit on one. */
async function readRuns(
  { api, project, platformNow }: Pick<Context, 'api' | 'project' | 'platformNow'>,
  app: string,
  isSettled: (run: Run) => boolean,
): Promise<Run[]> {
  const listPage = (position: PagePosition | undefined) =>
    api(listRuns, { project, app, query: position && 'token' in position ? { nextToken: position.token } : {} });
  const chartPage = async (position: PagePosition | undefined) => {
    const startTime = new Date(platformNow() + comparedFromMs).toISOString();
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
    fix: gantryCommand`runs list ${app}`,
  });
  const runs: Run[] = [];
  for await (const { items } of pages) {
    runs.push(...items);
    if (runs.length >= maxRunsRead || (items.length > 0 && items.every(isSettled))) break;
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
