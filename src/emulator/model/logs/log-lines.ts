import * as v from 'valibot';
import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import { getRunProgress, type RunProgress } from '../runs/record.ts';
import { createRandom, type SeededRandom } from '../seed/random.ts';
import { generatedRunsOf, KeptDays } from '../seed/traffic.ts';
import { type AppRecord, type RunRecord, Time, type Traffic } from '../state/records.ts';
import { day, type TimeRange } from '../time.ts';

/** What the seeded runs of an app printed in a range, oldest first. Both ends are included. */
export function generateLines(app: AppRecord, { start, end }: TimeRange): PrintedLine[] {
  const { traffic } = app;
  if (!traffic) return [];
  const lines: PrintedLine[] = [];
  // A run of the day before may still print.
  const first = Math.floor(Math.max(start, traffic.since) / day) - 1;
  for (let date = first; date <= Math.floor(end / day); date += 1) {
    for (const line of linesOfDay(app, traffic, date)) if (line.at >= start && line.at <= end) lines.push(line);
  }
  return lines.sort(compareLogLines);
}

/** Orders lines by time. Times of an app's lines are unique. */
export function compareLogLines(a: Pick<PrintedLine, 'at' | 'nanoseconds'>, b: typeof a): number {
  return a.at - b.at || a.nanoseconds - b.nanoseconds;
}

/** A page of a log reads one or two. */
const keptDays = new KeptDays<readonly PrintedLine[]>(8);

function linesOfDay(app: AppRecord, traffic: Traffic, date: number): readonly PrintedLine[] {
  return keptDays.get(traffic, date, () => generateLinesOf(generatedRunsOf(app, traffic, date), traffic));
}

type Draft = Pick<PrintedLine, 'at' | 'container' | 'stream' | 'text' | 'run'>;

function generateLinesOf(runs: readonly RunRecord[], traffic: Traffic): PrintedLine[] {
  const lineNumbers = new Map<string, number>();
  let last: PrintedLine | undefined;
  return runs
    .filter(({ createdAt }) => createdAt >= traffic.since)
    .flatMap((run) => draftsOf(run, traffic))
    .sort((a, b) => a.at - b.at)
    .map((draft) => {
      const lineNumber = (lineNumbers.get(draft.container) ?? 0) + 1;
      lineNumbers.set(draft.container, lineNumber);
      const previous: PrintedLine | undefined = last;
      // Lines that are added while the emulator runs begin at 0.
      const nanoseconds: number = previous?.at === draft.at ? previous.nanoseconds + 1 : firstNanosecond;
      last = { ...draft, lineNumber, nanoseconds };
      return last;
    });
}

const firstNanosecond = 500_000;

function draftsOf(run: RunRecord, traffic: Traffic): Draft[] {
  const progress = getRunProgress(run, Number.MAX_SAFE_INTEGER);
  const { startedAt = run.createdAt, endedAt = startedAt } = progress;
  const random = createRandom(`${traffic.seed}/${run.id}/log`);
  const of = { container: run.container, run: run.id };
  const replica = { container: run.container, run: '', stream: 'stdout' as const };
  const starting = run.coldstartMs > 0 ? startingLines(traffic.rhythm, run, startedAt) : [];
  const [begin, end] = texts[traffic.rhythm](run, random);
  return [
    ...starting.map(({ at, text }) => ({ ...replica, at, text })),
    { ...of, at: startedAt, stream: 'stdout', text: begin },
    ...outcome(traffic.rhythm, run, progress, end).map((line) => ({ ...of, at: endedAt, ...line })),
  ];
}

function startingLines(rhythm: Traffic['rhythm'], { coldstartMs }: RunRecord, readyAt: number) {
  const what = { web: 'model web-7b', transcriber: 'model large-v3', nightly: 'templates' }[rhythm];
  return [
    { at: readyAt - Math.floor(coldstartMs * 0.8), text: `loading ${what}` },
    { at: readyAt, text: `ready after ${(coldstartMs / 1000).toFixed(1)} s` },
  ];
}

function outcome(rhythm: Traffic['rhythm'], run: RunRecord, progress: RunProgress, end: string) {
  const { functionName, runtimeMs = 0 } = run;
  const error = (text: string) => ({ stream: 'stderr' as const, text });
  const ended = runOutcome(progress);
  if (ended === 'succeeded') {
    return [{ stream: 'stdout' as const, text: `${end} in ${(runtimeMs / 1000).toFixed(2)} s` }];
  }
  if (ended === 'canceled') return [error(`${functionName}: canceled`)];
  if (ended === 'closed') return [error(`${functionName}: the client closed the connection`)];
  if (ended !== 'failed') return [error(`${functionName}: failed with status ${progress.statusCode}`)];
  const { file, exception } = failures[rhythm];
  return [
    error('Traceback (most recent call last):'),
    error(`  File "/cortex/${file}", line 14, in ${functionName}`),
    error(exception),
  ];
}

const failures: Record<Traffic['rhythm'], { file: string; exception: string }> = {
  web: { file: 'main.py', exception: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB.' },
  transcriber: { file: 'server.py', exception: 'ValueError: the audio has no samples' },
  nightly: { file: 'main.py', exception: "KeyError: 'region'" },
};

/** The first line of a run, and how the last one begins. */
const texts: Record<Traffic['rhythm'], (run: RunRecord, random: SeededRandom) => [begin: string, end: string]> = {
  web({ functionName }, random) {
    const tokens = 20 + Math.floor(random.next() * 900);
    return [`${functionName}: prompt of ${tokens} tokens`, `${functionName}: ${8 + Math.floor(tokens / 3)} tokens`];
  },
  transcriber({ functionName }, random) {
    const seconds = 30 + Math.floor(random.next() * 1_500);
    return [`${functionName}: ${seconds} s of audio`, `${functionName}: ${Math.ceil(seconds / 6)} segments`];
  },
  nightly({ functionName }, random) {
    return [`${functionName}: started`, `${functionName}: ${200 + Math.floor(random.next() * 4_000)} rows`];
  },
};

export const PrintedLine = v.object({
  at: Time,
  /** Nanoseconds within that millisecond, so that timestamps are unique within an app. */
  nanoseconds: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999_999)),
  container: v.string(),
  /** Counts the container's lines from 1. */
  lineNumber: v.number(),
  stream: v.picklist(['stdout', 'stderr']),
  run: v.string(),
  text: v.string(),
});
export type PrintedLine = v.InferOutput<typeof PrintedLine>;
