import { atPosition, runKey, runsIn } from '../../calls/runs/index.ts';
import type { Run, RunsChart, RunsQuery } from '../../platform/contract/runs.ts';
import { type PagePosition, readPages } from '../../platform/replies/index.ts';

/** Times in ms since 1970. A run on an end of it may be in it or not. */
export interface Window {
  from: number;
  to: number;
}

/** What the platform returned for a window. */
export interface WindowRuns extends Window {
  runs: Run[];
  /** The platform announced more than it returned: how many, or that it did not say. */
  missing: number | 'some' | undefined;
}

/** Reads one page of the runs of an app. */
export type ReadRuns = (query: RunsQuery) => Promise<RunsChart>;

const pageSize = 1_000;
/** A platform that always says that there is another page must not be asked for each second. */
const smallestFullPage = 20;
const shortestWindowMs = 1_000;
const maxParts = 48;

/**
 * Reads the runs of a window of at most 24 hours, oldest part first. It is split until each part fits into one page: runs
 * that come or go while pages are read shift those that follow, and parts have none that follow.
 */
export async function* readWindow(read: ReadRuns, window: Window): AsyncGenerator<WindowRuns> {
  const query = { startTime: time(window.from), endTime: time(window.to), limit: pageSize };
  const page = await read(query);
  const items = runsIn(page);
  const { nextToken, total } = page;
  const isFull = Boolean(nextToken) || items.length >= pageSize;
  if (!isFull && (total ?? 0) <= new Set(items.map(runKey)).size) yield { ...window, runs: items, missing: undefined };
  else if (isFull && canBeSplit(window, items)) {
    for (const part of split(window, (total || 2 * items.length) / items.length)) yield* readWindow(read, part);
  } else yield readAllPages(read, query, window, page);
}

/** Not if the platform does not keep to the window: its parts would be as long. */
function canBeSplit({ from, to }: Window, items: readonly Run[]): boolean {
  return (
    to - from >= 2 * shortestWindowMs &&
    items.length >= smallestFullPage &&
    items.every(({ createdAt }) => Date.parse(createdAt ?? '') >= from - 1 && Date.parse(createdAt ?? '') <= to + 1)
  );
}

function split({ from, to }: Window, pages: number): Window[] {
  const most = Math.min(maxParts, Math.floor((to - from) / shortestWindowMs));
  const count = Math.max(2, Math.min(most, Math.ceil(1.5 * pages)));
  const at = (part: number) => (part === count ? to : from + Math.floor(((to - from) * part) / count));
  return Array.from({ length: count }, (_, part) => ({ from: at(part), to: at(part + 1) }));
}

async function readAllPages(read: ReadRuns, query: RunsQuery, window: Window, first: RunsChart): Promise<WindowRuns> {
  const readPage = async (position: PagePosition | undefined) => {
    const page = position ? await read({ ...query, ...atPosition(position) }) : first;
    return { ...page, items: runsIn(page) };
  };
  const pages = readPages({ read: readPage, key: runKey, by: 'offset', limit: pageSize, fix: 'read fewer days' });
  const runs: Run[] = [];
  let total = Number.POSITIVE_INFINITY;
  for (;;) {
    const next = await pages.next();
    if (next.done) {
      const missing = next.value ? undefined : total - runs.length;
      return { ...window, runs, missing: missing === undefined || Number.isFinite(missing) ? missing : 'some' };
    }
    for (const run of next.value.items) runs.push(run);
    total = Math.min(total, next.value.page.total ?? total);
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
