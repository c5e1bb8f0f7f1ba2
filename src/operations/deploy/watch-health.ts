import type { Api } from '../../api/client.ts';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type Container, listContainers } from '../../contract/containers.ts';
import { getAppLogs } from '../../contract/logs.ts';
import { listRuns, type Run, runPhase } from '../../contract/runs.ts';
import { GantryError, NotReadyError } from '../../errors.ts';
import { count, duration } from '../../output/format.ts';
import { throwUnlessTransient } from '../waiting/index.ts';

export interface HealthOptions {
  app: string;
  build: string;
  /** How long to watch, in ms. */
  watchMs: number;
  /** Runs of the build that may fail. */
  maxFailures: number;
  /** Whether replicas run without requests. */
  expectsReplica: boolean;
}

/** What was seen of a build while it was watched. */
export interface Health {
  watchedMs: number;
  /** Replicas of the build that were seen. */
  replicas: number;
  restarts: number;
  /** Runs that its replicas ended. */
  runs: number;
  failedRuns: number;
}

const pollMs = 2_000;
/** One restart may be a node that was drained; a second one is a loop. */
const maxRestarts = 1;
/** Lines of the app's log in the error. */
const logLines = 20;

/**
 * Watches the replicas and runs of a new build. Throws NotReadyError if a replica restarts again and again or ends in a
 * failed state, if none is running at the end although the app keeps some, or if too many runs fail. Runs of other
 * builds, whose replicas may still be there, do not count.
 */
export async function watchHealth(context: Context, options: HealthOptions): Promise<Health> {
  const { elapsed, delay, progress } = context;
  const { app, watchMs } = options;
  const started = elapsed();
  const step = progress.step(`Watching ${app}`);
  const watched = new WatchedBuild(options);
  let repliedAt = started;
  try {
    for (;;) {
      const leftMs = started + watchMs - elapsed();
      try {
        watched.update(...(await read(context, app)));
        repliedAt = elapsed();
      } catch (error) {
        // The end of the watch needs a reply: nothing seen is not healthy.
        if (leftMs <= 0) throw error;
        throwUnlessTransient(error, elapsed() - repliedAt, {
          name: `build ${options.build} of ${app}`,
          fix: gantryCommand`containers list ${app}`,
          details: { app, build: options.build },
        });
      }
      const problem = watched.problem(leftMs <= 0);
      if (problem !== undefined) throw await unhealthyError(context, options, watched, problem);
      if (leftMs <= 0) break;
      step.update({ text: `${watched.summary()}, ${duration(leftMs)} left` });
      await delay(Math.min(pollMs, leftMs));
    }
    const health = { watchedMs: elapsed() - started, ...watched.counts() };
    step.done(`${app} is healthy after ${duration(health.watchedMs)}: ${watched.summary()}`);
    return health;
  } catch (error) {
    step.fail();
    throw error;
  }
}

function read({ api, project }: { api: Api; project: string }, app: string): Promise<[Container[], Run[]]> {
  return Promise.all([
    api(listContainers, { project, app }),
    api(listRuns, { project, app, query: {} }).then(({ items }) => items),
  ]);
}

/** The replicas of one build and their runs, by id: a later reply may leave out what has ended. */
class WatchedBuild {
  readonly #containers = new Map<string, Container>();
  readonly #runs = new Map<string, Run>();
  /** Those of the last reply. */
  #listed = new Set<string>();

  constructor(private readonly options: HealthOptions) {}

  update(containers: readonly Container[], runs: readonly Run[]): void {
    this.#listed = new Set(containers.map(({ containerId }) => containerId));
    for (const container of containers) {
      if (container.buildId === this.options.build) this.#containers.set(container.containerId, container);
    }
    for (const run of runs) {
      if (this.#containers.has(run.containerId || run.podName || '')) this.#runs.set(run.id, run);
    }
  }

  /** What is wrong; undefined if nothing is, so far. */
  problem(isLast: boolean): string | undefined {
    const { maxFailures, expectsReplica } = this.options;
    const containers = [...this.#containers.values()];
    const looping = containers.find(({ containerRestartCount }) => (containerRestartCount ?? 0) > maxRestarts);
    if (looping) return `replica ${looping.containerId} restarted ${looping.containerRestartCount} times`;
    const broken = containers.find(({ containerState }) => /fail|error|crash|backoff|oom/i.test(containerState ?? ''));
    if (broken) return `replica ${broken.containerId} is ${broken.containerState}`;
    const failed = this.#failedRuns().length;
    if (failed > maxFailures) return `${count(failed, 'run')} failed`;
    const isRunning = containers.some(
      ({ containerId, containerState }) =>
        this.#listed.has(containerId) && /^(running|ready)$/i.test(containerState ?? ''),
    );
    return isLast && expectsReplica && !isRunning ? 'no replica is running' : undefined;
  }

  counts(): Omit<Health, 'watchedMs'> {
    const restarts = [...this.#containers.values()].reduce((sum, each) => sum + (each.containerRestartCount ?? 0), 0);
    const runs = [...this.#runs.values()].filter(({ status }) => runPhase(status ?? '') !== 'in progress');
    return { replicas: this.#containers.size, restarts, runs: runs.length, failedRuns: this.#failedRuns().length };
  }

  summary(): string {
    const { replicas, restarts, runs, failedRuns } = this.counts();
    const parts = [count(replicas, 'replica'), count(runs, 'run'), `${failedRuns} failed`];
    return restarts > 0 ? [...parts, count(restarts, 'restart')].join(', ') : parts.join(', ');
  }

  failedIds(): string[] {
    return this.#failedRuns().map(({ id }) => id);
  }

  /** A canceled run says nothing about the app. */
  #failedRuns(): Run[] {
    return [...this.#runs.values()].filter(({ status }) => /^fail/i.test(status ?? ''));
  }
}

async function unhealthyError(
  context: Context,
  { app, build }: HealthOptions,
  watched: WatchedBuild,
  problem: string,
): Promise<NotReadyError> {
  const log = await readLastLines(context, app);
  return new NotReadyError(`${app} is not healthy: ${problem}`, {
    ...(log.length > 0 && { why: `end of the app's log:\n${log.join('\n')}` }),
    fix: gantryCommand`logs ${app} --since 10m`,
    details: { app, build, status: 'unhealthy', reason: problem, failedRuns: watched.failedIds(), log },
  });
}

/** Empty if the log cannot be read: the problem is the message. */
async function readLastLines({ api, project }: Context, app: string): Promise<string[]> {
  try {
    const reply = await api(getAppLogs, { project, app, query: { direction: 'backward', pageSize: logLines } });
    const lines = (reply?.logs ?? []).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp));
    return lines.map(({ logLine }) => logLine.trimEnd());
  } catch (error) {
    if (error instanceof GantryError) return [];
    throw error;
  }
}
