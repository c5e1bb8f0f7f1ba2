import type { Api } from '../../api/client.ts';
import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { type Container, listContainers } from '../../contract/containers.ts';
import { listRuns, type Run, runPhase } from '../../contract/runs.ts';
import { NotReadyError } from '../../errors.ts';
import { count, duration } from '../../output/format.ts';
import type { AppConfig } from '../../project/config.ts';
import { readLogTail } from '../logs/index.ts';
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
  config?: AppConfig | undefined;
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
/** Lines of the log in the error, and lines that the cause is looked for in. */
const shownLines = 20;
const readLines = 200;

/**
 * Watches the replicas and runs of a new build. Throws NotReadyError if a replica restarts again and again, ends in a
 * failed state or is not running again at the end, if none is running at the end although the app keeps some, or if too
 * many runs fail. Runs of other builds, whose replicas may still be there, do not count.
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
    const restarted = watched.restarted();
    if (restarted !== undefined) {
      const fix = gantryCommand`logs ${app} --container ${restarted}`.toString();
      progress.warn({ severity: 'warning', message: `replica ${restarted} restarted once`, fix });
    }
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

interface Problem {
  text: string;
  /** The replica that has it. */
  container?: string | undefined;
}

/** The replicas of one build and their runs, by id: a later reply may leave out what has ended. */
class WatchedBuild {
  readonly #containers = new Map<string, Container>();
  readonly #runs = new Map<string, Run>();
  /** Replicas of the last reply. */
  #listed = new Set<string>();
  /** Replicas that have been seen running. */
  readonly #hasRun = new Set<string>();

  constructor(private readonly options: HealthOptions) {}

  update(containers: readonly Container[], runs: readonly Run[]): void {
    this.#listed = new Set(containers.map(({ containerId }) => containerId));
    for (const container of containers) {
      if (container.buildId !== this.options.build) continue;
      this.#containers.set(container.containerId, container);
      if (isRunning(container)) this.#hasRun.add(container.containerId);
    }
    for (const run of runs) {
      if (this.#containers.has(run.containerId || run.podName || '')) this.#runs.set(run.id, run);
    }
  }

  /** What is wrong; undefined if nothing is, so far. */
  problem(isLast: boolean): Problem | undefined {
    const { maxFailures, expectsReplica } = this.options;
    const containers = [...this.#containers.values()];
    const looping = containers.find((each) => restartsOf(each) > maxRestarts);
    if (looping) return problemOf(looping, `restarted ${restartsOf(looping)} times`);
    const broken = containers.find(({ containerState }) => /fail|error|crash|backoff|oom/i.test(containerState ?? ''));
    if (broken) return problemOf(broken, `is ${broken.containerState}`);
    const [failed, ...others] = this.#failedRuns();
    if (failed && others.length + 1 > maxFailures) {
      return {
        text: `${count(others.length + 1, 'run')} failed`,
        container: failed.containerId || failed.podName || undefined,
      };
    }
    return isLast ? this.#problemAtEnd(expectsReplica) : undefined;
  }

  #problemAtEnd(expectsReplica: boolean): Problem | undefined {
    const listed = [...this.#containers.values()].filter(({ containerId }) => this.#listed.has(containerId));
    if (listed.some(isRunning)) return undefined;
    const waiting = listed.filter(({ containerState }) => /^pending$/i.test(containerState ?? ''));
    const crashed = waiting.find(({ containerId }) => this.#hasRun.has(containerId));
    if (crashed) return problemOf(crashed, 'ended and is not running again');
    return expectsReplica ? { text: 'no replica is running', container: waiting[0]?.containerId } : undefined;
  }

  /** The first replica that restarted. */
  restarted(): string | undefined {
    return [...this.#containers.values()].find((each) => restartsOf(each) > 0)?.containerId;
  }

  counts(): Omit<Health, 'watchedMs'> {
    const restarts = [...this.#containers.values()].reduce((sum, each) => sum + restartsOf(each), 0);
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

function isRunning({ containerState }: Container): boolean {
  return /^(running|ready)$/i.test(containerState ?? '');
}

function restartsOf({ containerRestartCount }: Container): number {
  return containerRestartCount ?? 0;
}

function problemOf({ containerId: container }: Container, what: string): Problem {
  return { text: `replica ${container} ${what}`, container };
}

async function unhealthyError(
  context: Context,
  { app, build, config }: HealthOptions,
  watched: WatchedBuild,
  { text: reason, container }: Problem,
): Promise<NotReadyError> {
  const log = await readLogTail(context, app, { container }, readLines);
  const shown = log.slice(-shownLines);
  const error = new NotReadyError(`${app} is not healthy: ${reason}`, {
    ...(shown.length > 0 && { why: `end of ${container ? "the replica's" : "the app's"} log:\n${shown.join('\n')}` }),
    fix: container ? gantryCommand`logs ${app} --container ${container}` : gantryCommand`logs ${app} --since 10m`,
    details: {
      app,
      build,
      container: container ?? null,
      status: 'unhealthy',
      reason,
      failedRuns: watched.failedIds(),
      log: shown,
    },
    log,
  });
  await (await import('../failures/index.ts')).addCause(context, error, config);
  return error;
}
