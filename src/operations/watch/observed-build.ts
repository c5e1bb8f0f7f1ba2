import { isUnwell } from '../../contract/apps.ts';
import type { Container } from '../../contract/containers.ts';
import type { Run } from '../../contract/runs.ts';
import { count, shortBuild } from '../../output/format.ts';
import { hasEnded, runHasFailed, runKey, runStatus } from '../runs/index.ts';
import { compareErrors, type ErrorCount } from './error-rates.ts';
import { ReplicaSlots, type SlotProblem } from './replica-slots.ts';

/** What the platform showed at one time. Undefined: it did not show it. */
export interface Look {
  /** When, in ms of a clock that does not jump. */
  at: number;
  /** The build that serves. */
  live?: string | undefined;
  /** That of the app. */
  status?: string | undefined;
  containers?: readonly Container[] | undefined;
  /** Newest first; those of the first look were there before. */
  runs?: readonly Run[] | undefined;
  /** Why runs are not shown. */
  runsRefused?: string | undefined;
  /** Replicas that the app keeps without calls. */
  minReplicas?: number | undefined;
  /** How long a replica without calls is kept, in ms. */
  cooldownMs?: number | undefined;
}

/** From a time in ms up to another. */
export interface TimeSpan {
  from: number;
  to: number;
}

/** Counts of what was looked at. */
export interface Observed {
  replicas: number;
  restarts: number;
  runs: number;
  failedRuns: number;
  /** Why there may be more runs: the platform did not list them at last. */
  runsRefused?: string | undefined;
}

/** Why a build is not healthy, and the replica that shows it. */
export interface Finding {
  verdict: 'sick' | 'unknown' | 'superseded';
  reason: string;
  container?: string | undefined;
}

export interface ObservedOptions {
  /** When builds served that are no measure, since they were found sick. */
  sickTimes?: readonly TimeSpan[] | undefined;
  /** Whether all restarts of replicas are recent. */
  isNew?: boolean | undefined;
  /** A time in ms since when no other build has served: runs are its own, also those of the first look. */
  servesSince?: number | undefined;
}

/** What was seen of a build: its replicas, the runs that ended, and the runs before them to compare with. */
export class ObservedBuild {
  readonly #slots: ReplicaSlots;
  /** Containers of other builds. */
  readonly #others = new Set<string>();
  /** Runs of the first look, which other builds have handled. */
  readonly #before = new Map<string, Run>();
  readonly #runs = new Map<string, Run>();
  #live: string | undefined;
  #status: string | undefined;
  #hasRuns = false;
  #runsRefused: string | undefined;

  constructor(
    private readonly build: string,
    private readonly options: ObservedOptions = {},
  ) {
    this.#slots = new ReplicaSlots(options.isNew);
  }

  update({ at, live, status, containers, runs, runsRefused, minReplicas, cooldownMs }: Look): void {
    this.#runsRefused = runsRefused;
    this.#live = live ?? this.#live;
    this.#status = status ?? this.#status;
    for (const { containerId, buildId } of containers ?? []) {
      if (buildId && buildId !== this.build) this.#others.add(containerId);
    }
    const own = containers?.filter(({ containerId }) => !this.#others.has(containerId));
    if (own) this.#slots.update(own, { at, minReplicas, cooldownMs });
    if (runs) this.#addRuns(runs);
  }

  /** What is certain before the end of the watch. */
  early(): Finding | undefined {
    return this.#superseded() ?? sick(this.#slots.problem()) ?? this.#errors(true);
  }

  /** The finding at the end; undefined if the build is healthy. `isProven`: a call of it has succeeded. */
  final(isProven: boolean): Finding | undefined {
    const found = this.#troubleSeen();
    const succeeded = this.#ended().some((run) => runStatus(run) === 'success');
    if (found) return found;
    const isAnswering = isProven || succeeded || this.#slots.isRunning;
    if (isAnswering && this.#runsRefused === undefined) return undefined;
    if (isAnswering) return { verdict: 'unknown', reason: `calls of it are not known (${this.#runsRefused})` };
    return { verdict: 'unknown', reason: this.#slots.waiting() ?? 'no replica and no call of it was seen' };
  }

  /** What speaks against a build that was found healthy before. That it sleeps does not. */
  trouble(): Finding | undefined {
    const found = this.#troubleSeen();
    if (found || this.#slots.replicas === 0 || this.#slots.isRunning) return found;
    const reason = this.#slots.waiting();
    return reason === undefined ? undefined : { verdict: 'unknown', reason };
  }

  #troubleSeen(): Finding | undefined {
    const found = this.early() ?? sick(this.#slots.problemAtEnd()) ?? this.#errors(false) ?? doubt(this.#slots.doubt());
    if (found || !isUnwell(this.#status)) return found;
    return { verdict: 'unknown', reason: `the status of the app is ${this.#status}` };
  }

  /** Whether a run is known and cannot change any more. */
  isSettled(run: Run): boolean {
    const known = this.#runs.get(runKey(run)) ?? this.#before.get(runKey(run));
    return known !== undefined && hasEnded(known);
  }

  counts(): Observed {
    const { replicas, restarts } = this.#slots;
    return {
      replicas,
      restarts,
      runs: this.#ended().length,
      failedRuns: this.failedRuns().length,
      runsRefused: this.#runsRefused,
    };
  }

  failedRuns(): string[] {
    return this.#ended()
      .filter(runHasFailed)
      .map(({ id }) => id);
  }

  /** A replica that was started again once: not enough to say more. */
  restarted(): string | undefined {
    return this.#slots.restarted();
  }

  /**
   * The runs of the first look were there before, unless replicas of this build have them. Later ones are of this build,
   * unless replicas of another one have them: a replica may end before it is ever listed.
   */
  #addRuns(runs: readonly Run[]): void {
    for (const run of runs) {
      const key = runKey(run);
      const container = run.containerId || run.podName || '';
      const isOwn = this.#slots.has(container);
      const isEarlier =
        !this.#hasRuns && !(Date.parse(run.createdAt ?? '') >= (this.options.servesSince ?? Number.POSITIVE_INFINITY));
      if (!isOwn && (isEarlier || this.#before.has(key) || this.#others.has(container))) this.#before.set(key, run);
      else this.#runs.set(key, run);
    }
    this.#hasRuns = true;
  }

  #superseded(): Finding | undefined {
    if (this.#live === undefined || this.#live === this.build) return undefined;
    return { verdict: 'superseded', reason: `build ${shortBuild(this.#live)} serves now` };
  }

  #errors(isEarly: boolean): Finding | undefined {
    const now = countErrors(this.#ended());
    const before = countErrors([...this.#before.values()].filter((run) => hasEnded(run) && !this.#isOfSick(run)));
    const compared = compareErrors(now, before, isEarly);
    if (compared === 'no worse') return undefined;
    const failed = `${now.failed} of ${count(now.calls, 'call')} failed`;
    const earlier = before.calls === 0 ? 'none before to compare with' : `${before.failed} of ${before.calls} before`;
    if (compared === 'worse') return { verdict: 'sick', reason: `${failed}, ${earlier}`, container: this.#failing() };
    const doubt = compared === 'as bad' ? 'no better than before' : 'too few calls to tell';
    return isEarly ? undefined : { verdict: 'unknown', reason: `${failed}, ${earlier}: ${doubt}` };
  }

  #isOfSick({ createdAt }: Run): boolean {
    const at = Date.parse(createdAt ?? '');
    return (this.options.sickTimes ?? []).some(({ from, to }) => at >= from && at < to);
  }

  #failing(): string | undefined {
    const run = this.#ended().find(runHasFailed);
    return run?.containerId || run?.podName || undefined;
  }

  #ended(): Run[] {
    return [...this.#runs.values()].filter(hasEnded);
  }
}

function sick(problem: SlotProblem | undefined): Finding | undefined {
  return problem && { verdict: 'sick', ...problem };
}

function doubt(problem: SlotProblem | undefined): Finding | undefined {
  return problem && { verdict: 'unknown', ...problem };
}

/** A canceled or closed run says nothing about a build. */
function countErrors(runs: readonly Run[]): ErrorCount {
  const said = runs.filter((run) => !/^(cancelled|closed)$/.test(runStatus(run)));
  const failed = said.filter(runHasFailed);
  const byCaller = failed.filter(({ statusCode }) => statusCode && statusCode >= 400 && statusCode <= 499);
  return { calls: said.length, failed: failed.length, byCaller: byCaller.length };
}
