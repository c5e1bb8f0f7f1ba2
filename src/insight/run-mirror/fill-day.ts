import { atPosition, type Jobs, type readChart, readRunPages, runKey } from '../../calls/runs/index.ts';
import { toMs } from '../../kernel/output/format.ts';
import type { Run, RunsQuery } from '../../platform/contract/runs.ts';
import type { PagePosition } from '../../platform/replies/index.ts';
import { dayMs, type RunDay } from './day-file.ts';
import { mirrored, RunTable } from './run-table.ts';

/** A run may appear this long after newer ones. */
const lateMs = 5 * 60_000;
/** A run that has not ended by then never says so: runs take 12 hours at most (docs/platform.md#runs). */
const settledMs = dayMs;
/** Windows that are closer are read as one. */
const joinMs = 10 * 60_000;
const maxWindows = 20;
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
export function isDayWhole({ day, readTo }: RunDay): boolean {
  return readTo >= day + dayMs;
}

/**
 * Reads what is new: runs that had not ended, and what was created since. In this order, and from old to new: whatever a kill
 * leaves is right, and the next time goes on from there, or from the first gap.
 */
export async function fillDay(day: RunDay, { read, jobs, now, save, onRuns }: FillOptions): Promise<void> {
  let unsaved = 0;
  const take = (found: WindowRuns) => {
    const before = day.runs.length;
    takeRuns(day, found, jobs);
    onRuns(day.runs.length - before);
    unsaved += found.runs.length;
  };
  const end = day.day + dayMs;
  const readOn = (to: number) => {
    if (day.gaps.length === 0) day.readTo = Math.max(day.readTo, to);
  };
  const resumeAt = day.readTo;
  for (const window of windowsToRepeat(day)) {
    for await (const found of readWindow(read, window)) take(found);
  }
  const rest = resumeAt < end ? readWindow(read, { from: resumeAt, to: end }) : [];
  for await (const found of rest) {
    take(found);
    readOn(Math.min(found.to, (day.runs.newest() ?? 0) - lateMs));
    if (unsaved < runsPerSave) continue;
    await save();
    unsaved = 0;
  }
  day.readAt = now;
  if (now >= end + settledMs) readOn(end);
  await save();
  day.runs = new RunTable(day.runs.sorted());
}

function takeRuns(day: RunDay, { from, to, runs, missing }: WindowRuns, jobs: Jobs): void {
  for (const run of runs.map((each) => mirrored(each, jobs))) {
    // Some platforms do not keep to the window. Without a time it belongs to the day that it was returned for.
    const at = run.createdAt ?? from;
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

/** Times in ms since 1970. A run on an end of it may be in it or not. */
interface Window {
  from: number;
  to: number;
}

/** What the platform returned for a window. */
interface WindowRuns extends Window {
  runs: Run[];
  /** How many more the platform announced than it returned; NaN if it did not say. */
  missing: number;
}

export type ReadRuns = (query: RunsQuery) => ReturnType<typeof readChart>;

const pageSize = 1_000;
/** A platform that always says that there is another page must not be asked for each second. */
const smallestFullPage = 20;
const shortestWindowMs = 1_000;
const maxParts = 48;

/**
 * Reads the runs of a window of at most 24 hours, oldest part first. It is split until each part fits into one page: runs
 * that come or go while pages are read shift those that follow, and parts have none that follow.
 */
async function* readWindow(read: ReadRuns, window: Window): AsyncGenerator<WindowRuns> {
  const query = { startTime: time(window.from), endTime: time(window.to), limit: pageSize };
  const page = await read(query);
  const { items, nextToken, total } = page;
  const isFull = Boolean(nextToken) || items.length >= pageSize;
  if (!isFull && (total ?? 0) <= new Set(items.map(runKey)).size) yield { ...window, runs: items, missing: 0 };
  else if (isFull && canBeSplit(window, items)) {
    for (const part of split(window, (total || 2 * items.length) / items.length)) yield* readWindow(read, part);
  } else yield readAllPages(read, query, window, page);
}

/** Not if the platform does not keep to the window: its parts would be as long. */
function canBeSplit({ from, to }: Window, items: readonly Run[]): boolean {
  return (
    to - from >= 2 * shortestWindowMs &&
    items.length >= smallestFullPage &&
    items.every(({ createdAt }) => toMs(createdAt) >= from - 1 && toMs(createdAt) <= to + 1)
  );
}

function split({ from, to }: Window, pages: number): Window[] {
  const most = Math.min(maxParts, Math.floor((to - from) / shortestWindowMs));
  const count = Math.max(2, Math.min(most, Math.ceil(1.5 * pages)));
  const at = (part: number) => (part === count ? to : from + Math.floor(((to - from) * part) / count));
  return Array.from({ length: count }, (_, part) => ({ from: at(part), to: at(part + 1) }));
}

async function readAllPages(
  read: ReadRuns,
  query: RunsQuery,
  window: Window,
  first: Awaited<ReturnType<ReadRuns>>,
): Promise<WindowRuns> {
  const readPage = async (position: PagePosition | undefined) =>
    position ? read({ ...query, ...atPosition(position) }) : first;
  const pages = { read: readPage, by: 'offset', limit: pageSize, fix: 'read fewer days' } as const;
  const { runs, total, isComplete } = await readRunPages(pages);
  const missing = Number.isFinite(total) ? total - runs.length : Number.NaN;
  return { ...window, runs, missing: isComplete ? 0 : missing };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
