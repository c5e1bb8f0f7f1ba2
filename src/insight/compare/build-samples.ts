import type { ErrorCount } from '../../calls/difference.ts';
import { addOutcome } from '../../calls/runs/index.ts';
import type { ServingTime } from '../../deploys/serving.ts';
import { hourMs } from '../../kernel/durations.ts';
import { onceFor } from '../../kernel/once.ts';
import type { RunOutcome } from '../../platform/contract/run-outcome.ts';
import type { CallRow, RunDay } from '../run-mirror/index.ts';

/** What the calls of one build were like. */
export class BuildSamples {
  readonly errors: ErrorCount = { calls: 0, failed: 0 };
  coldStarts = 0;
  /** In ms, by function: of calls that succeeded. */
  readonly runTimes = new Map<string, number[]>();
  readonly coldStartTimes: number[] = [];

  add(name: string, runtimeMs: number, coldstartMs: number, outcome: RunOutcome): void {
    if (coldstartMs > 0) {
      this.coldStarts++;
      this.coldStartTimes.push(coldstartMs);
    }
    if (!addOutcome(this.errors, outcome) || outcome !== 'succeeded' || Number.isNaN(runtimeMs)) return;
    onceFor(this.runTimes, name, () => []).push(runtimeMs);
  }

  addAll({ errors, coldStarts, coldStartTimes, runTimes }: BuildSamples): this {
    this.errors.calls += errors.calls;
    this.errors.failed += errors.failed;
    this.coldStarts += coldStarts;
    for (const ms of coldStartTimes) this.coldStartTimes.push(ms);
    for (const [name, times] of runTimes) this.runTimes.set(name, [...(this.runTimes.get(name) ?? []), ...times]);
    return this;
  }
}

/** What the calls of two builds were like, in each of the hours that are compared. */
export interface HourlySamples {
  before: readonly BuildSamples[];
  after: readonly BuildSamples[];
}

export function allHours(samples: readonly BuildSamples[]): BuildSamples {
  return samples.reduce((all, each) => all.addAll(each), new BuildSamples());
}

/**
 * Sorts calls by the build that handled them: the one that the run names, or that its replica first served for. A replica of
 * the build before may finish its work after the other one has begun to serve.
 */
export class CallSorter {
  unattributed = 0;
  /** Samples by hour of the day, in UTC. */
  readonly #before = dayOfSamples();
  readonly #after = dayOfSamples();
  readonly #samples: readonly [ServingTime, readonly BuildSamples[]][];
  /** Undefined: of another build. */
  readonly #owners = new Map<string, readonly BuildSamples[] | undefined>();

  constructor(before: ServingTime, after: ServingTime) {
    this.#samples = [
      [before, this.#before],
      [after, this.#after],
    ];
  }

  /**
   * The hours of the day in which both builds served and had calls, and what these were like: an app may be slower at some
   * hours whatever its build. Null, and all calls as if of one hour: there are none.
   */
  equalHours(): { hours: number[] | null; samples: HourlySamples } {
    const before = this.#before;
    const after = this.#after;
    const served = this.#samples.map(([time]) => hoursOf(time));
    const hours = [...before.keys()].filter(
      (hour) =>
        served.every((each) => each.has(hour)) && [before, after].every((each) => each[hour]?.errors.calls !== 0),
    );
    if (hours.length === 0) return { hours: null, samples: { before: [allHours(before)], after: [allHours(after)] } };
    const pick = (samples: readonly BuildSamples[]) => hours.map((hour) => samples[hour] as BuildSamples);
    return { hours, samples: { before: pick(before), after: pick(after) } };
  }

  /** The rows of a day, oldest first. */
  add({ runs }: RunDay, rows: Iterable<CallRow>): void {
    for (const row of rows) {
      const { at, runtimeMs, coldStartMs, replica } = runs.timing(row);
      const owner = this.#ownerOf(at, runs.word('build', row), replica);
      if (!owner) continue;
      // Without a time, it is of the first hour.
      const samples = owner[Math.floor(at / hourMs) % 24] ?? (owner[0] as BuildSamples);
      samples.add(runs.word('functionName', row) ?? '', runtimeMs, coldStartMs, runs.outcome(row));
    }
  }

  #ownerOf(at: number, build: string | undefined, replica: string | undefined): readonly BuildSamples[] | undefined {
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
}

function dayOfSamples(): BuildSamples[] {
  return Array.from({ length: 24 }, () => new BuildSamples());
}

function hoursOf({ since, until }: ServingTime): Set<number> {
  const hours = new Set<number>();
  for (let hour = Math.floor(since / hourMs); hour * hourMs < until && hours.size < 24; hour++) hours.add(hour % 24);
  return hours;
}
