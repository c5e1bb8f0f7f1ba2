import { atPosition, type Jobs, type readChart, readRunPages } from '../../calls/runs/index.ts';
import { dayMs } from '../../kernel/durations.ts';
import type { Run, RunsQuery } from '../../platform/contract/runs.ts';
import type { Gap, RunDay } from './day-file.ts';
import { mirrored, RunTable } from './run-table.ts';

/** A run may appear this long after newer ones. */
const lateMs = 5 * 60_000;
/** A run that has not ended by then never says so: runs take 12 hours at most (docs/platform.md#runs). */
const settledMs = dayMs;
/** Windows that are closer are read as one. */
const joinMs = 10 * 60_000;
const maxWindows = 20;

interface FillOptions {
  read: ReadRuns;
  jobs: Jobs;
  now: number;
  /** Keeps the day as it is by now. */
  save: () => Promise<void>;
  onRuns: (count: number) => void;
}

/** Whether a day was read late enough that the platform has nothing new about it, and returned all that it announced. */
export function isDayWhole({ day, readTo }: RunDay): boolean {
  return readTo >= day + dayMs;
}

/**
 * Reads what is new: runs that had not ended, and what was created since. In this order: whatever a kill leaves is right, and
 * the next time goes on from there, or from the first gap.
 */
export async function fillDay(day: RunDay, { read, jobs, now, save, onRuns }: FillOptions): Promise<void> {
  const take = async (window: Window) => {
    const runs = await readWindow(read, window);
    const before = day.runs.length;
    takeRuns(day, runs, jobs);
    onRuns(day.runs.length - before);
  };
  const end = day.day + dayMs;
  const resumeAt = day.readTo;
  for (const window of windowsToRepeat(day)) await take(window);
  if (resumeAt < end) await take({ from: resumeAt, to: end });
  day.readAt = now;
  const readTo = now >= end + settledMs ? end : (day.runs.newest() ?? 0) - lateMs;
  if (day.gaps.length === 0) day.readTo = Math.max(day.readTo, Math.min(end, readTo));
  await save();
  day.runs = new RunTable(day.runs.sorted());
}

function takeRuns(day: RunDay, { from, to, runs, missing }: Gap & { runs: Run[] }, jobs: Jobs): void {
  for (const run of runs.map((each) => mirrored(each, jobs))) {
    // Some platforms do not keep to the window. Without a time it belongs to the day that it was returned for.
    const at = run.createdAt || from;
    if (at >= day.day && at < day.day + dayMs) day.runs.put(run);
  }
  // What was read before is known, even if the platform has lost it since.
  if (missing !== 0 && from >= day.readTo) day.gaps.push({ from, to, missing });
}

/** What is read again before the rest of the day. */
function windowsToRepeat({ day, runs, readTo, readAt }: RunDay): Window[] {
  const created = runs.column('createdAt');
  const windows: Window[] = [];
  for (let row = 0; row < runs.length; row++) {
    const at = created[row] || day;
    const isOpen = at < readTo && readAt < at + settledMs && !runs.hasEnded(row);
    if (isOpen) windows.push({ from: Math.max(day, at - 1), to: Math.min(day + dayMs, at + 1) });
  }
  const joined = join(windows);
  const first = joined[0];
  const last = joined.at(-1);
  return first && last && joined.length > maxWindows ? [{ from: first.from, to: last.to }] : joined;
}

function join(windows: Window[]): Window[] {
  const joined: Window[] = [];
  for (const window of windows.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && window.from - last.to < joinMs) last.to = Math.max(last.to, window.to);
    else joined.push({ ...window });
  }
  return joined;
}

/** A run on an end of it may be in it or not. */
type Window = Omit<Gap, 'missing'>;

export type ReadRuns = (query: RunsQuery) => ReturnType<typeof readChart>;

const pageSize = 1_000;

/** Reads the runs of a window of at most 24 hours. */
async function readWindow(read: ReadRuns, window: Window) {
  const query = { startTime: time(window.from), endTime: time(window.to), limit: pageSize };
  const { runs, total, isComplete } = await readRunPages({
    read: (position) => read({ ...query, ...atPosition(position) }),
    by: 'offset',
    limit: pageSize,
    fix: 'read fewer days',
  });
  const missing = Number.isFinite(total) ? total - runs.length : Number.NaN;
  return { ...window, runs, missing: isComplete ? 0 : missing };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
