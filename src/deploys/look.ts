import { Jobs, readRunList } from '../calls/runs/index.ts';
import { type GantryError, NotFoundError } from '../kernel/errors.ts';
import type { Context } from '../platform/context.ts';
import { type App, liveBuild } from '../platform/contract/apps.ts';
import { buildPhase, listBuilds } from '../platform/contract/builds.ts';
import { type Container, listContainers } from '../platform/contract/containers.ts';
import type { Run } from '../platform/contract/runs.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { contextWith, isRefusal, tryRequest } from '../platform/waiting/index.ts';
import { replicaOf } from './calls.ts';
import { readJobs } from './history/index.ts';

/** What is asked for: each is a request, at least. */
export type LookPart = 'app' | 'replicas' | 'runs';
export const allParts: readonly LookPart[] = ['app', 'replicas', 'runs'];

/** What the platform showed at one time. Undefined is what was not asked for. */
export interface Look {
  /** In ms of a clock that does not jump. */
  at: number;
  app?: App | undefined;
  containers?: Shown<readonly Container[]> | undefined;
  /** Newest first, jobs as well. */
  runs?: Shown<readonly Run[]> | undefined;
  /** Ids of jobs that were started from here. */
  started: ReadonlySet<string>;
}

/** What was asked for, or why it is refused. */
type Shown<T> = T | GantryError;

/** Runs that a look reads at most: those of the first one are compared with. */
const maxRunsRead = 1_000;

/** `isKnown`: whether the runs after a page are known, and cannot change any more. `all`: the runs of this page and before. */
export async function look(
  context: Context,
  name: string,
  parts: readonly LookPart[] = allParts,
  isKnown: (page: readonly Run[], all: readonly Run[]) => boolean = () => false,
): Promise<Look> {
  const { api, project, elapsed } = context;
  const isEnough = (page: readonly Run[], all: readonly Run[]) => isKnown(page, all) || all.length >= maxRunsRead;
  const [app, containers, runs, started] = await Promise.all([
    parts.includes('app') ? fetchApp(api, { project, app: name }) : undefined,
    parts.includes('replicas') ? api(listContainers, { project, app: name }).catch(refusal) : undefined,
    parts.includes('runs')
      ? readRunList(context, name, { isEnough }).then(({ runs: listed }) => listed, refusal)
      : undefined,
    readJobs(context, name),
  ]);
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

/**
 * Best effort, and in seconds: the deploy waits for it. A new app has nothing. `known`: from an earlier look, since what
 * is gone from the lists by now may still answer.
 */
export async function lookBefore(context: Context, name: string, known?: Before): Promise<Before> {
  const { project } = context;
  const [seen, builds = []] = await Promise.all([
    tryRequest(context, (api) => look(contextWith(context, { api }), name).catch(nothingOf)),
    tryRequest(context, (api) => api(listBuilds, { project, app: name })),
  ]);
  const containers = listed(seen?.containers);
  const runs = listed(seen?.runs) ?? known?.runs ?? [];
  const jobs = (known?.jobs ?? new Jobs()).see({ started: seen?.started, containers }).see({ runs });
  const ready = builds.filter(({ status }) => buildPhase(status) === 'succeeded').map(({ id }) => id);
  const live = seen?.app && liveBuild(seen.app);
  const replicas = containers && [...containers.map(({ containerId }) => containerId), ...runs.map(replicaOf)];
  return {
    builds: new Set([...(known?.builds ?? []), ...ready, ...(live ? [live] : [])]),
    replicas: replicas ? new Set([...(known?.replicas ?? []), ...replicas.filter(Boolean)]) : known?.replicas,
    runs,
    jobs,
  };
}

export function listed<T>(shown: Shown<readonly T[]> | undefined): readonly T[] | undefined {
  return Array.isArray(shown) ? shown : undefined;
}

function nothingOf(error: unknown): Look {
  if (error instanceof NotFoundError) return { at: 0, containers: [], started: new Set() };
  throw error;
}

/** What a token may not read, or a platform does not list, is not looked at. */
function refusal(error: unknown): GantryError {
  if (isRefusal(error)) return error;
  throw error;
}
