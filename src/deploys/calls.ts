import { compareErrors, type ErrorCount, isRate } from '../calls/difference.ts';
import {
  type Call,
  countErrors,
  hasEnded,
  hasSucceeded,
  type Jobs,
  runHasFailed,
  runKey,
} from '../calls/runs/index.ts';
import { count, toMs } from '../kernel/output/format.ts';
import { runOutcome } from '../platform/contract/run-outcome.ts';
import { type Run, replicaOf } from '../platform/contract/runs.ts';
import type { Shown } from '../platform/waiting/index.ts';
import type { Owner } from './replicas.ts';

export interface CallFacts {
  /** Doubtful: most fail or are refused, too few have ended, or which build handled those that fail is not known. */
  state: 'worse' | 'doubtful' | 'fine' | 'none' | 'not known';
  reason: string;
  container?: string | undefined;
}

interface KnownCalls {
  before?: readonly Run[] | undefined;
  /** When builds served that are no measure, since they were found sick: from a time in ms up to another. */
  sickTimes: readonly { from: number; to: number }[];
  jobs: Jobs;
}

/** The calls of an app, over several looks: those of a build, and those before it to compare with. */
export class Calls {
  readonly #runs = new Map<string, Run>();
  /** Runs of before the build, by key: those of the first look, if nobody looked before. */
  #earlier: Set<string> | undefined;
  /** Why they are not known, as of the last look. */
  #unknown: string | undefined = 'not listed';

  constructor(
    private readonly ownerOf: (replica: string) => Owner,
    private readonly known: KnownCalls,
  ) {
    if (known.before) this.#add(known.before);
  }

  /** The runs of a look, or why they are refused. */
  see(runs: Shown<readonly Run[]>): void {
    this.#unknown = 'refusal' in runs ? runs.refusal.message : undefined;
    if ('state' in runs) this.#add(runs.state);
  }

  /** Whether the runs after a page are known: those on it were, and none that was in progress is missing. */
  isKnown(page: readonly Run[], all: readonly Run[]): boolean {
    const read = new Set(all.map(runKey));
    const isOpen = (run: Run) => !hasEnded(run) && !read.has(runKey(run));
    const last = page.at(-1);
    return last !== undefined && this.#runs.has(runKey(last)) && ![...this.#runs.values()].some(isOpen);
  }

  get ended(): number | null {
    return this.#unknown === undefined ? this.#ended('own').length : null;
  }

  /** Ids of own ones. */
  failed(): string[] {
    return this.#ended('own').flatMap((call) => (runHasFailed(call) ? call.id : []));
  }

  get failedCount(): number | null {
    return this.#unknown === undefined ? this.failed().length : null;
  }

  /** Calls of a replica have succeeded, and none has failed by itself. */
  hasServed(replica: string): boolean {
    const { calls, failed } = countAnswers(this.#calls().filter((run) => replicaOf(run) === replica));
    return calls > 0 && failed === 0;
  }

  /** `isEarly`: before the end of a watch, only what is certain counts. */
  facts(isEarly: boolean): CallFacts {
    if (this.#unknown !== undefined)
      return { state: 'not known', reason: `calls of it are not known (${this.#unknown})` };
    const ended = { own: this.#ended('own'), before: this.#before() };
    const ownAnswers = countAnswers(ended.own);
    const before = countAnswers(ended.before);
    const rates = ratesText(ownAnswers, before);
    const compared = compareErrors(ownAnswers, before, isEarly);
    if (compared === 'worse') return { state: 'worse', reason: rates, container: this.#failing() };
    const doubt = doubts[compared];
    if (doubt !== undefined) return { state: 'doubtful', reason: `${rates}: ${doubt}` };
    const all = { own: countErrors(ended.own), before: countErrors(ended.before) };
    if (isRate(all.before) && compareErrors(all.own, all.before, false) === 'worse') {
      const reason = `${ratesText(all.own, all.before)}: those that it refused (4xx) may be their callers' fault`;
      return { state: 'doubtful', reason };
    }
    const open = countAnswers(this.#ended('nobody'));
    const ifOwn = compareErrors(sum(ownAnswers, open), before, false);
    if (open.failed > 0 && /^(worse|as bad)$/.test(ifOwn)) {
      const reason = `${ratesText(open, before)}, and which build handled them is not known`;
      return { state: 'doubtful', reason };
    }
    if (ended.own.some(hasSucceeded)) return { state: 'fine', reason: '' };
    const calls = ownAnswers.calls > 0 ? `none of ${count(ownAnswers.calls, 'call')} has succeeded` : '';
    const unclear = open.calls > 0 ? `which build handled ${count(open.calls, 'call')} is not known` : '';
    return { state: 'none', reason: calls || unclear };
  }

  #add(runs: readonly Run[]): void {
    this.#earlier ??= new Set(runs.map(runKey));
    for (const run of runs) this.#runs.set(runKey(run), run);
  }

  /**
   * Whose a call is, as far as it is known by now. That of a replica that was never listed is nobody's: one of the build
   * before may answer after it is gone from the list, and one of this build may end before it is listed.
   */
  #ownerOf(call: Call): Owner {
    const owner = this.ownerOf(replicaOf(call));
    return owner === 'nobody' && this.#earlier?.has(runKey(call)) ? 'other' : owner;
  }

  /** The runs before the build that are a measure. */
  #before(): Call[] {
    const isOfSick = (at: number) => this.known.sickTimes.some(({ from, to }) => at >= from && at < to);
    const isMeasure = (call: Call) => this.#earlier?.has(runKey(call)) && !isOfSick(toMs(call.createdAt));
    return this.#ended('other').filter(isMeasure);
  }

  #failing(): string | undefined {
    const call = this.#ended('own').find(runHasFailed);
    return call && (replicaOf(call) || undefined);
  }

  #ended(owner: Owner): Call[] {
    const all = this.#calls();
    const answered = new Set(all.filter(hasSucceeded).map(({ functionName }) => functionName));
    const isOf = (call: Call) => hasEnded(call) && this.#ownerOf(call) === owner && !isMistyped(call, answered);
    return all.filter(isOf);
  }

  #calls(): Call[] {
    return this.known.jobs.calls([...this.#runs.values()]);
  }
}

const doubts: Partial<Record<ReturnType<typeof compareErrors>, string>> = {
  'as bad': 'no better than before',
  'too few calls': 'too few calls to tell',
};

/** Whether a call names a function that has never answered: its caller mistyped it, in a smoke test or elsewhere. */
function isMistyped(call: Call, answered: ReadonlySet<string | undefined>): boolean {
  const { functionName } = call;
  return Boolean(functionName) && !answered.has(functionName) && isRefused(call);
}

function isRefused(call: Call): boolean {
  return runOutcome(call) === 'failed by the caller';
}

/** Those that the app answered: a refused one (4xx) may be its caller's own fault. */
function countAnswers(calls: readonly Call[]): ErrorCount {
  return countErrors(calls.filter((call) => !isRefused(call)));
}

function sum(a: ErrorCount, b: ErrorCount): ErrorCount {
  return { calls: a.calls + b.calls, failed: a.failed + b.failed };
}

function ratesText(now: ErrorCount, before: ErrorCount): string {
  const earlier = before.calls === 0 ? 'none before to compare with' : `${before.failed} of ${before.calls} before`;
  return `${now.failed} of ${count(now.calls, 'call')} failed, ${earlier}`;
}
