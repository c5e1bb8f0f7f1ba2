import { join } from 'node:path';
import { findJobs, type Jobs, readChart } from '../../calls/runs/index.ts';
import { checkRange, dayMs } from '../../kernel/durations.ts';
import { begun } from '../../kernel/once.ts';
import { count } from '../../kernel/output/format.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { toAppId } from '../../platform/contract/endpoint.ts';
import { emptyDay, type Gap, type MirrorOwner, type RunDay, readDay, writeDay } from './day-file.ts';
import { fillDay, isDayWhole, type ReadRuns } from './fill-day.ts';
import { mirrorRoot, trimMirror } from './kept-runs.ts';

/** Times in ms since 1970. */
export interface RunRange {
  app: string;
  since: number;
  until: number;
}

/** Days that are read at the same time. */
const concurrentDays = 4;

/**
 * The runs of an app by day, in UTC and oldest first, from a copy on this machine that first gets what the platform has new.
 * The first and the last day are whole: use {@link rowsWithin}. Says which runs the platform announced and did not return.
 */
export async function* readRunDays(context: Context, range: RunRange): AsyncGenerator<RunDay> {
  const { app, since, until } = range;
  checkRange(range);
  const first = Math.floor(since / dayMs) * dayMs;
  const days = Array.from({ length: Math.floor((until - first) / dayMs) + 1 }, (_, index) => first + index * dayMs);
  const done = new AbortController();
  const api = context.apiWithSignal(AbortSignal.any([context.signal, done.signal]));
  const step = context.progress.step(`Reading runs of ${app}`);
  let read = 0;
  const mirror = new Mirror(context, app, {
    read: (query) => readChart(api, { project: context.project, app }, query),
    onRuns: (number) => {
      read += number;
      step.update({ text: `${count(read, 'new run')}` });
    },
  });
  const ahead: Promise<RunDay>[] = [];
  const gaps: Gap[] = [];
  try {
    for (const [index, day] of days.entries()) {
      while (ahead.length < concurrentDays && index + ahead.length < days.length) {
        ahead.push(begun(mirror.day(days[index + ahead.length] ?? day)));
      }
      const loaded = await ahead.shift();
      if (!loaded) continue;
      for (const gap of loaded.gaps) if (gap.to >= since && gap.from <= until) gaps.push(gap);
      yield loaded;
    }
    sayGaps(context, gaps);
    trimMirror(context.settings.folders.cache, context.now());
  } finally {
    step.clear();
    done.abort();
    // What is being written is written before the command ends.
    await Promise.allSettled(ahead);
  }
}

/** The rows of a day that were created in a range. A run without a time is in each. */
export function* rowsWithin({ runs }: RunDay, { since, until }: Pick<RunRange, 'since' | 'until'>): Generator<number> {
  const created = runs.column('createdAt');
  for (let row = 0; row < runs.length; row++) {
    const at = created[row] as number;
    if (!(at < since || at > until)) yield row;
  }
}

declare const call: unique symbol;
/** The row of a call. Only {@link callsWithin} tells them from jobs. */
export type CallRow = number & { readonly [call]: true };

/** The rows of calls: of runs that are no job of `gantry run`. */
export function* callsWithin(day: RunDay, range: Pick<RunRange, 'since' | 'until'>): Generator<CallRow> {
  for (const row of rowsWithin(day, range)) if (day.runs.word('kind', row) !== 'job') yield row as CallRow;
}

/** The copy of the runs of one app. */
class Mirror {
  readonly #folder: string;
  readonly #owner: MirrorOwner;
  #isUnwritable = false;
  #jobs: Promise<Jobs> | undefined;

  constructor(
    private readonly context: Context,
    private readonly app: string,
    private readonly source: { read: ReadRuns; onRuns: (count: number) => void },
  ) {
    const { project, settings } = context;
    this.#owner = { project, app: toAppId(project, app) };
    this.#folder = join(mirrorRoot(settings.folders.cache), stateKey(platformOf(settings), project, this.#owner.app));
  }

  async day(midnight: number): Promise<RunDay> {
    const day = (await readDay(this.#folder, midnight)) ?? emptyDay(midnight);
    if (isDayWhole(day)) return day;
    this.#jobs ??= findJobs(this.context, this.app);
    const now = this.context.platformNow();
    const jobs = await this.#jobs;
    await fillDay(day, { ...this.source, jobs, now, save: () => this.#save(day) });
    return day;
  }

  /** Without a disk that can be written to, all is read again the next time. */
  async #save(day: RunDay): Promise<void> {
    if (this.#isUnwritable) return;
    try {
      await writeDay(this.#folder, this.#owner, day);
    } catch (error) {
      if (this.#isUnwritable) return;
      this.#isUnwritable = true;
      const why = error instanceof Error ? error.message : String(error);
      this.context.progress.warn(`cannot keep runs in ${this.#folder}: ${why}`);
    }
  }
}

function sayGaps({ progress }: Pick<Context, 'progress'>, gaps: readonly Gap[]): void {
  const [first] = gaps;
  if (!first) return;
  const counts = gaps.map(({ missing }) => missing);
  const counted = counts.reduce((sum, missing) => sum + (missing || 0), 0);
  const some = counts.some(Number.isNaN);
  const number =
    counted === 0
      ? 'some runs are'
      : `${some ? 'at least ' : ''}${count(counted, 'run')} ${counted === 1 ? 'is' : 'are'}`;
  const more = gaps.length === 1 ? '' : `, and in ${count(gaps.length - 1, 'more gap')}`;
  progress.warn(
    `${number} missing: the platform announced more than it returned between ${text(first.from)} and ${text(first.to)}${more}`,
  );
}

function text(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
