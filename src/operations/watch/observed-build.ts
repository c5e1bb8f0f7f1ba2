import { appIsUnwell } from '../../contract/apps.ts';
import { type Container, isRunning } from '../../contract/containers.ts';
import type { Run } from '../../contract/runs.ts';
import { count } from '../../output/format.ts';
import { compareErrors, type ErrorCount } from '../difference/index.ts';
import { type Call, countErrors, hasEnded, hasSucceeded, Jobs, runHasFailed, runKey } from '../runs/index.ts';
import { doubt, type Finding, type Observed, ratesText, type SlotProblem } from './finding.ts';
import type { Look, ObservedOptions } from './look.ts';
import { findReplaced } from './replaced.ts';
import { type Owner, ReplicaOwners } from './replica-owners.ts';
import { ReplicaReads } from './replica-reads.ts';
import { ReplicaSlots } from './replica-slots.ts';

/** What was seen of a build: its replicas, the calls that ended, and the calls before them to compare with. */
export class ObservedBuild {
  readonly #slots: ReplicaSlots;
  readonly #owners: ReplicaOwners;
  readonly #reads: ReplicaReads;
  readonly #jobs: Jobs;
  /** Jobs as well: what is one may show later. */
  readonly #runs = new Map<string, Run>();
  /** Runs of before the build, by key: those of the first look, if nobody looked before. */
  #earlier: Set<string> | undefined;
  #live: string | undefined;
  #status: string | undefined;
  #hasReplicas = false;
  #hasRuns = false;
  #runsRefused: string | undefined;

  constructor(
    private readonly build: string,
    private readonly options: ObservedOptions = {},
  ) {
    const { before, isNew = true, servesSince, owners } = options;
    this.#jobs = before?.jobs ?? new Jobs();
    const known = { earlier: before?.replicas, isNew, isAlone: servesSince !== undefined };
    this.#owners = owners ?? new ReplicaOwners(build, known);
    this.#reads = before?.reads ?? new ReplicaReads();
    this.#slots = new ReplicaSlots(isNew, (containerId) => this.#hasServed(containerId), this.#reads);
    if (before) this.#addRuns(before.runs);
  }

  update({ at, live, status, containers, runs, started, runsRefused, minReplicas, cooldownMs }: Look): void {
    this.#jobs.see({ started, containers }).see({ runs });
    this.#runsRefused = runsRefused;
    this.#live = live ?? this.#live;
    this.#status = status ?? this.#status;
    if (containers) {
      this.#hasReplicas = true;
      const replicas = this.#jobs.replicas(containers);
      this.#owners.see(replicas, at);
      this.#reads.see(replicas, at);
      const own = replicas.filter(({ containerId }) => this.#owners.isOwn(containerId));
      this.#slots.update(own, { at, minReplicas, cooldownMs });
    }
    if (!runs) return;
    this.#hasRuns = true;
    this.#addRuns(runs);
  }

  /** Of containers that were listed, its replicas that run. */
  running(containers: readonly Container[]): Container[] {
    const isOwn = ({ containerId }: Container) => this.#owners.isOwn(containerId);
    return this.#jobs.replicas(containers).filter((each) => isOwn(each) && isRunning(each, this.#reads));
  }

  /** Whether the app showed a build at last that served before this one: it has not caught up, or went back. */
  get isBehind(): boolean {
    return this.#replaced()?.verdict === 'unknown';
  }

  /** Whether the lists of replicas are copies of one: nobody knows what has become of them since. */
  get isCopied(): boolean {
    return this.#reads.doubt() !== undefined;
  }

  /** What is certain before the end of the watch: not what ends while the app shows that the build before was put back. */
  early(): Finding | undefined {
    return this.isBehind ? undefined : (this.#replaced() ?? this.#sick(this.#slots.problem()) ?? this.#errors(true));
  }

  /** The finding at the end; undefined if the build is healthy. `isProven`: a call of it has succeeded. */
  final(isProven: boolean): Finding | undefined {
    const found = this.#troubleSeen() ?? this.#unattributed() ?? doubt(this.#reads.doubt());
    if (found) return found;
    const { running } = this.#slots;
    const succeeded = this.#ended('own').some(hasSucceeded);
    const isAnswering = isProven || succeeded || running.some((id) => this.#owners.isCertain(id));
    if (isAnswering && this.#runsRefused === undefined) return undefined;
    if (isAnswering) return { verdict: 'unknown', reason: `calls of it are not known (${this.#runsRefused})` };
    const [one] = running;
    const reason = one ? `replica ${one} is listed without a build` : (this.#slots.waiting() ?? this.#nothingSeen());
    return { verdict: 'unknown', reason };
  }

  /** What speaks against a build that was found healthy before. That it sleeps does not. */
  trouble(): Finding | undefined {
    const found = this.#troubleSeen() ?? doubt(this.#reads.doubt());
    if (found || this.#slots.replicas === 0 || this.#slots.running.length > 0) return found;
    const reason = this.#slots.waiting();
    return reason === undefined ? undefined : { verdict: 'unknown', reason };
  }

  #troubleSeen(): Finding | undefined {
    const found =
      this.#replaced() ??
      this.early() ??
      this.#sick(this.#slots.problemAtEnd()) ??
      doubt(this.#slots.doubt()) ??
      this.#errors(false);
    if (found || !appIsUnwell(this.#status)) return found;
    return { verdict: 'unknown', reason: `the status of the app is ${this.#status}` };
  }

  /** Whether a run is known and cannot change any more. */
  isSettled(run: Run): boolean {
    const known = this.#runs.get(runKey(run));
    return known !== undefined && hasEnded(known);
  }

  counts(): Observed {
    const { replicas, restarts } = this.#slots;
    const isListed = this.#runsRefused === undefined && this.#hasRuns;
    return {
      replicas: this.#hasReplicas ? replicas : null,
      restarts: this.#hasReplicas ? restarts : null,
      runs: isListed ? this.#ended().length : null,
      failedRuns: isListed ? this.failedRuns().length : null,
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

  #addRuns(runs: readonly Run[]): void {
    this.#earlier ??= new Set(runs.filter((run) => !this.#isSinceAlone(run)).map(runKey));
    for (const run of runs) this.#runs.set(runKey(run), run);
  }

  #isSinceAlone({ createdAt }: Run): boolean {
    return Date.parse(createdAt ?? '') >= (this.options.servesSince ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Whose a run is, as far as it is known by now. That of a replica that was never listed is nobody's: one of the build
   * before may answer after it is gone from the list, and one of this build may end before it is listed.
   */
  #ownerOf(run: Run): Owner {
    const container = run.containerId || run.podName || '';
    if (this.#owners.isOwn(container)) return this.#owners.of(container);
    if (this.#earlier?.has(runKey(run)) || this.#owners.of(container) === 'other') return 'other';
    return this.#isSinceAlone(run) ? 'own' : 'nobody';
  }

  #replaced(): Finding | undefined {
    return findReplaced(this.#live, this.build, this.options.earlierBuilds);
  }

  #errors(isEarly: boolean): Finding | undefined {
    const now = countErrors(this.#ended());
    const before = this.#errorsBefore();
    const compared = compareErrors(now, before, isEarly);
    if (compared === 'no worse') return undefined;
    const rates = ratesText(now, before);
    const isCertain = compareErrors(countErrors(this.#ended('own')), before, isEarly) === 'worse';
    if (compared === 'worse' && isCertain) return { verdict: 'sick', reason: rates, container: this.#failing() };
    if (isEarly) return undefined;
    if (compared === 'worse') return { verdict: 'unknown', reason: `${rates}, ${notHandled}` };
    const doubt = compared === 'as bad' ? 'no better than before' : 'too few calls to tell';
    return { verdict: 'unknown', reason: `${rates}: ${doubt}` };
  }

  /** Calls that would make it sick if they were its own. */
  #unattributed(): Finding | undefined {
    const open = countErrors(this.#ended('nobody'));
    if (open.failed === 0) return undefined;
    const own = countErrors(this.#ended());
    const before = this.#errorsBefore();
    const all = {
      calls: own.calls + open.calls,
      failed: own.failed + open.failed,
      byCaller: own.byCaller + open.byCaller,
    };
    if (!/^(worse|as bad)$/.test(compareErrors(all, before, false))) return undefined;
    return { verdict: 'unknown', reason: `${ratesText(open, before)}, ${notHandled}` };
  }

  #nothingSeen(): string {
    const { replicas } = this.#slots;
    const calls = this.#ended().length;
    if (replicas > 0) return `${count(replicas, 'replica')} of it was seen, and none runs any more`;
    if (calls > 0) return `none of ${count(calls, 'call')} has succeeded, and no replica of it was seen`;
    const open = this.#ended('nobody').length;
    if (open === 0) return 'no replica and no call of it was seen';
    return `which build handled ${count(open, 'call')} is not known: no replica of it is listed`;
  }

  /** Of the runs before the build, those that are a measure. */
  #errorsBefore(): ErrorCount {
    const isEarlier = (run: Call) => this.#earlier?.has(runKey(run)) && !this.#isOfSick(run);
    return countErrors(this.#ended('other').filter(isEarlier));
  }

  #isOfSick({ createdAt }: Run): boolean {
    const at = Date.parse(createdAt ?? '');
    return (this.options.sickTimes ?? []).some(({ from, to }) => at >= from && at < to);
  }

  /** Calls of a replica have succeeded, and none has failed. */
  #hasServed(containerId: string): boolean {
    const { calls, failed, byCaller } = countErrors(
      this.#calls().filter((run) => (run.containerId || run.podName) === containerId),
    );
    return calls > failed && failed === byCaller;
  }

  #failing(): string | undefined {
    const run = this.#ended().find(runHasFailed);
    return run?.containerId || run?.podName || undefined;
  }

  #ended(...owners: Owner[]): Call[] {
    const wanted = owners.length > 0 ? owners : ['own', 'likely'];
    return this.#calls().filter((run) => hasEnded(run) && wanted.includes(this.#ownerOf(run)));
  }

  #calls(): Call[] {
    return this.#jobs.calls([...this.#runs.values()]);
  }

  #sick(problem: SlotProblem | undefined): Finding | undefined {
    if (!problem || this.#owners.isCertain(problem.container)) return problem && { verdict: 'sick', ...problem };
    return { verdict: 'unknown', ...problem, reason: `${problem.reason}, and whose it is is not known` };
  }
}

const notHandled = 'and which build handled them is not known';
