import type { ErrorCount } from '../difference/index.ts';
import type { RunDay } from '../run-mirror/index.ts';
import { runHasFailed, runStatus } from '../runs/index.ts';
import type { ServingTime } from './serving-times.ts';

/** What the calls of one build were like. */
export class BuildSamples {
  readonly errors: ErrorCount = { calls: 0, failed: 0, byCaller: 0 };
  coldStarts = 0;
  /** In ms, by function: of calls that succeeded. */
  readonly runTimes = new Map<string, number[]>();
  readonly coldStartTimes: number[] = [];

  add(name: string, runtimeMs: number, coldstartMs: number, outcome: Outcome): void {
    if (coldstartMs > 0) {
      this.coldStarts++;
      this.coldStartTimes.push(coldstartMs);
    }
    if (outcome === 'open' || outcome === 'canceled') return;
    this.errors.calls++;
    if (outcome !== 'succeeded') this.errors.failed++;
    if (outcome === 'failed by the caller') this.errors.byCaller++;
    if (outcome !== 'succeeded' || Number.isNaN(runtimeMs)) return;
    const times = this.runTimes.get(name);
    if (times) times.push(runtimeMs);
    else this.runTimes.set(name, [runtimeMs]);
  }
}

/** A canceled or closed run says nothing about a build. */
type Outcome = 'succeeded' | 'failed' | 'failed by the caller' | 'canceled' | 'open';

const hourMs = 3_600_000;

/**
 * Sorts calls by the build that handled them: the one that the run names, or that its replica first served for. A replica of
 * the build before may finish its work after the other one has begun to serve.
 */
export class CallSorter {
  unattributed = 0;
  readonly #samples: readonly [ServingTime, BuildSamples][];
  /** Undefined: of another build. */
  readonly #owners = new Map<string, BuildSamples | undefined>();
  readonly #outcomes = new Map<string, Outcome>();

  constructor(
    before: ServingTime,
    after: ServingTime,
    samples: { before: BuildSamples; after: BuildSamples },
    /** Hours of the day, in UTC; null for all. */
    private readonly hours: ReadonlySet<number> | null,
  ) {
    this.#samples = [
      [before, samples.before],
      [after, samples.after],
    ];
  }

  /** The rows of a day, oldest first. */
  add({ runs }: RunDay, rows: Iterable<number>): void {
    const [created, ran] = [runs.column('createdAt'), runs.column('runtimeMs')];
    const [cold, codes] = [runs.column('coldstartTimeMs'), runs.column('statusCode')];
    for (const row of rows) {
      const at = created[row] ?? Number.NaN;
      const owner = this.#ownerOf(at, runs.word('build', row), runs.word('podName', row));
      if (!owner || (this.hours && !this.hours.has(Math.floor(at / hourMs) % 24))) continue;
      const outcome = this.#outcomeOf(runs.word('status', row), codes[row] ?? Number.NaN);
      owner.add(runs.word('functionName', row) ?? '', ran[row] ?? Number.NaN, cold[row] || 0, outcome);
    }
  }

  #ownerOf(at: number, build: string | undefined, replica: string | undefined): BuildSamples | undefined {
    if (build !== undefined) return this.#samples.find(([time]) => time.build === build)?.[1];
    const serving = this.#samples.find(([{ since, until }]) => at >= since && at < until)?.[1];
    if (replica === undefined) return serving ?? this.#unknown();
    if (!this.#owners.has(replica)) {
      if (!serving) return this.#unknown();
      this.#owners.set(replica, serving);
    }
    return this.#owners.get(replica);
  }

  #unknown(): undefined {
    this.unattributed++;
  }

  #outcomeOf(status: string | undefined, statusCode: number): Outcome {
    const key = `${status ?? ''}/${statusCode}`;
    const known = this.#outcomes.get(key);
    if (known) return known;
    const outcome = outcomeOf(status, Number.isNaN(statusCode) ? undefined : statusCode);
    this.#outcomes.set(key, outcome);
    return outcome;
  }
}

function outcomeOf(status: string | undefined, statusCode: number | undefined): Outcome {
  const run = { id: '', status, statusCode };
  const word = runStatus(run);
  if (word === 'success') return 'succeeded';
  if (/^(cancelled|closed)$/.test(word)) return 'canceled';
  if (!runHasFailed(run)) return 'open';
  return statusCode !== undefined && statusCode >= 400 && statusCode <= 499 ? 'failed by the caller' : 'failed';
}
