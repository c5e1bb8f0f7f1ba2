import { readJobs } from '../../deploys/history/index.ts';
import type { Context } from '../../platform/context.ts';
import { type Container, listContainers } from '../../platform/contract/containers.ts';
import { type RunOutcome, runOutcome } from '../../platform/contract/run-outcome.ts';
import { listRuns, type Run, replicaOf } from '../../platform/contract/runs.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import type { ErrorCount } from '../difference.ts';

declare const call: unique symbol;
/** A call of an app: a run that is not a job. Only {@link Jobs} makes one of a run, and only calls are judged and counted. */
export type Call = Run & { readonly [call]: true };

interface SeenWork {
  containers?: readonly Container[] | undefined;
  runs?: readonly Run[] | undefined;
  started?: Iterable<string> | undefined;
}

/**
 * Tells jobs, which are runs of a file by `gantry run`, from the calls of the same app: by what was started from here, by
 * containers, and by methods. A job runs in a container of its own, of no build, and has no HTTP method. Where the platform
 * shows none of it, and somebody else started it, a job looks like a call.
 */
export class Jobs {
  readonly #started = new Set<string>();
  readonly #ofBuilds = new Set<string>();
  readonly #nameless = new Set<string>();
  readonly #ofJobs = new Set<string>();

  see({ containers = [], runs = [], started = [] }: SeenWork): this {
    for (const run of started) this.#started.add(run);
    for (const { containerId, buildId } of containers) (buildId ? this.#ofBuilds : this.#nameless).add(containerId);
    for (const run of runs) if (this.isJob(run)) this.#ofJobs.add(replicaOf(run));
    return this;
  }

  isJob(run: Run): boolean {
    if (this.#started.has(run.id)) return true;
    if (run.buildId) return false;
    const container = replicaOf(run);
    return this.#isOfJobs(container) || (run.method === '' && !this.#ofBuilds.has(container));
  }

  calls(runs: readonly Run[]): Call[] {
    return runs.filter((run): run is Call => !this.isJob(run));
  }

  /** Containers of builds. */
  replicas(containers: readonly Container[]): Container[] {
    return containers.filter(({ containerId }) => !this.#isOfJobs(containerId));
  }

  /** Where the list shows the builds of others, one without a build has none. */
  #isOfJobs(container: string): boolean {
    if (container === '' || this.#ofBuilds.has(container)) return false;
    return this.#ofJobs.has(container) || (this.#ofBuilds.size > 0 && this.#nameless.has(container));
  }
}

/** What an app's jobs are known by now: from here, its containers, and its newest runs. Best effort. */
export async function findJobs(context: Context, app: string): Promise<Jobs> {
  const { project } = context;
  const [started, listed, newest] = await Promise.all([
    readJobs(context, app),
    tryRequest(context, (api) => api(listContainers, { project, app })),
    tryRequest(context, (api) => api(listRuns, { project, app, query: {} })),
  ]);
  return new Jobs().see({ started, containers: listed ?? [] }).see({ runs: newest?.items });
}

/** The kind of one run, by what it says itself and what was started from here: without another request. */
export async function kindOfRun(context: Context, app: string, run: Run): Promise<'job' | 'call'> {
  return new Jobs().see({ started: await readJobs(context, app) }).isJob(run) ? 'job' : 'call';
}

/** Calls that ended, and how. A canceled or closed one says nothing about the app, nor does one with an unknown code. */
export function countErrors(calls: readonly Call[]): ErrorCount {
  const errors: ErrorCount = { calls: 0, failed: 0 };
  for (const call of calls) addOutcome(errors, runOutcome(call));
  return errors;
}

/** Counts one more call. Returns whether it says something. */
export function addOutcome(errors: ErrorCount, outcome: RunOutcome): boolean {
  const hasFailed = outcome.startsWith('failed');
  if (!hasFailed && outcome !== 'succeeded') return false;
  errors.calls++;
  if (hasFailed) errors.failed++;
  return true;
}
