import * as v from 'valibot';
import { runOutcome } from '../../../platform/contract/run-outcome.ts';
import { getRunProgress, type RunProgress } from '../runs/record.ts';
import { generatedRunsOf, keptByDay } from '../seed/traffic.ts';
import { type AppRecord, type RunRecord, Time } from '../state/records.ts';
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

type LineDraft = Pick<PrintedLine, 'at' | 'container' | 'stream' | 'text' | 'run'>;

const linesOfDay = keptByDay((app, traffic, date): readonly PrintedLine[] => {
  const lineNumbers = new Map<string, number>();
  let last: PrintedLine | undefined;
  return generatedRunsOf(app, traffic, date)
    .filter(({ createdAt }) => createdAt >= traffic.since)
    .flatMap(draftsOf)
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
});

const firstNanosecond = 500_000;

function draftsOf(run: RunRecord): LineDraft[] {
  const progress = getRunProgress(run, Number.MAX_SAFE_INTEGER);
  const { container, functionName, coldstartMs } = run;
  const { startedAt = run.createdAt, endedAt = startedAt } = progress;
  const line = (at: number, text: string, of = run.id): LineDraft => ({
    at,
    container,
    stream: 'stdout',
    text,
    run: of,
  });
  const starting = [
    line(startedAt - Math.floor(coldstartMs * 0.8), 'loading the model', ''),
    line(startedAt, `ready after ${(coldstartMs / 1000).toFixed(1)} s`, ''),
  ];
  return [
    ...(coldstartMs > 0 ? starting : []),
    line(startedAt, `${functionName}: started`),
    ...outcome(run, progress).map((last) => ({ ...line(endedAt, ''), ...last })),
  ];
}

function outcome({ functionName, runtimeMs = 0 }: RunRecord, progress: RunProgress) {
  const error = (text: string) => ({ stream: 'stderr' as const, text });
  const ended = runOutcome(progress);
  if (ended === 'succeeded') return [{ text: `${functionName}: done in ${(runtimeMs / 1000).toFixed(2)} s` }];
  if (ended === 'canceled') return [error(`${functionName}: canceled`)];
  if (ended === 'closed') return [error(`${functionName}: the client closed the connection`)];
  if (ended !== 'failed') return [error(`${functionName}: failed with status ${progress.statusCode}`)];
  return [
    error('Traceback (most recent call last):'),
    error(`  File "/cortex/main.py", line 14, in ${functionName}`),
    error('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB.'),
  ];
}

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
