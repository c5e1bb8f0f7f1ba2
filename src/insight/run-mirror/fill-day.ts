import type { Jobs } from '../../calls/runs/index.ts';
import { dayMs, type Gap, type RunDay } from './day-file.ts';
import { type ReadRuns, readWindow, type Window, type WindowRuns } from './read-window.ts';
import { mirrored, RunTable } from './run-table.ts';

/** A run may appear this long after newer ones. */
const lateMs = 5 * 60_000;
/** A run that has not ended by then never says so: runs take 12 hours at most (docs/platform.md#runs). */
const settledMs = dayMs;
/** Windows that are closer are read as one. */
const joinMs = 10 * 60_000;
const maxWindows = 20;
const maxGaps = 100;
/** How many runs a kill may cost. */
const runsPerSave = 20_000;

interface FillOptions {
  read: ReadRuns;
  jobs: Jobs;
  now: number;
  /** Keeps the day as it is by now. */
  save: () => Promise<void>;
  onRuns: (count: number) => void;
}

/** Whether a day was read late enough that the platform has nothing new about it, and returned all that it announced. */
export function isDayWhole({ day, gaps, readTo }: RunDay): boolean {
  return readTo >= day + dayMs && gaps.length === 0;
}

/**
 * Reads what is new: runs that had not ended, gaps, and what was created since. In this order, and from old to new: whatever
 * a kill leaves is right, and the next time goes on from there.
 */
export async function fillDay(day: RunDay, { read, jobs, now, save, onRuns }: FillOptions): Promise<void> {
  let unsaved = 0;
  const take = async (found: WindowRuns) => {
    const before = day.runs.length;
    takeRuns(day, found, jobs);
    onRuns(day.runs.length - before);
    unsaved += found.runs.length;
  };
  const end = day.day + dayMs;
  // A gap that goes on after it is not read twice.
  const resumeAt = day.gaps.reduce((at, { from, to }) => (to > day.readTo ? Math.min(at, from) : at), day.readTo);
  for (const window of windowsToRepeat(day, resumeAt)) {
    for await (const found of readWindow(read, window)) await take(found);
  }
  const rest = resumeAt < end ? readWindow(read, { from: resumeAt, to: end }) : [];
  for await (const found of rest) {
    await take(found);
    day.readTo = Math.max(day.readTo, Math.min(found.to, (day.runs.newest() ?? 0) - lateMs));
    if (unsaved < runsPerSave) continue;
    await save();
    unsaved = 0;
  }
  day.readAt = now;
  if (now >= end + settledMs) day.readTo = end;
  await save();
  day.runs = new RunTable(day.runs.sorted());
}

function takeRuns(day: RunDay, { from, to, runs, missing }: WindowRuns, jobs: Jobs): void {
  // A platform that returns fewer runs than are known has forgotten them: the missing ones as well.
  if (missing !== undefined || runs.length >= countWithin(day.runs, from, to)) cutGaps(day, from, to);
  for (const run of runs.map((each) => mirrored(each, jobs))) {
    // Some platforms do not keep to the window. Without a time it belongs to the day that it was returned for.
    const at = run.createdAt ?? from;
    if (at >= day.day && at < day.day + dayMs) day.runs.put(run);
  }
  if (missing !== undefined) day.gaps.push({ from, to, missing: missing === 'some' ? undefined : missing });
  if (day.gaps.length > maxGaps) day.gaps = [joinGaps(day.gaps)];
}

/** Leaves of each gap what is outside of a window: it is not known how many runs are missing there. */
function cutGaps(day: RunDay, from: number, to: number): void {
  day.gaps = day.gaps.flatMap((gap) => {
    if (gap.to <= from || gap.from >= to) return [gap];
    const rest = [
      { from: gap.from, to: from, missing: undefined },
      { from: to, to: gap.to, missing: undefined },
    ];
    return rest.filter((each) => each.from < each.to);
  });
}

/** Without those on an end of the window: platforms differ in whether they return them. */
function countWithin(runs: RunTable, from: number, to: number): number {
  const created = runs.column('createdAt');
  let within = 0;
  for (let row = 0; row < runs.length; row++) {
    const at = created[row] ?? Number.NaN;
    if (at > from && at < to) within++;
  }
  return within;
}

function joinGaps(gaps: readonly Gap[]): Gap {
  const counts = gaps.map(({ missing }) => missing);
  return {
    from: gaps.reduce((first, { from }) => Math.min(first, from), Number.POSITIVE_INFINITY),
    to: gaps.reduce((last, { to }) => Math.max(last, to), Number.NEGATIVE_INFINITY),
    missing: counts.includes(undefined) ? undefined : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  };
}

/** What is read again before the rest of the day. */
function windowsToRepeat({ day, runs, gaps, readAt }: RunDay, resumeAt: number): Window[] {
  const created = runs.column('createdAt');
  const windows: Window[] = gaps.filter(({ from }) => from < resumeAt).map(({ from, to }) => ({ from, to }));
  for (let row = 0; row < runs.length; row++) {
    const at = Number.isNaN(created[row]) ? day : (created[row] ?? day);
    const isOpen = at < resumeAt && readAt < at + settledMs && !runs.hasEnded(row);
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
