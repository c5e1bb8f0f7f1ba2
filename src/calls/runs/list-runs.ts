import { gantryCommand } from '../../kernel/command-line.ts';
import { hourMs } from '../../kernel/durations.ts';
import { NotFoundError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { count, duration, latestFirst, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { getRunsChart, listRuns, type Run, type RunsQuery } from '../../platform/contract/runs.ts';
import { findByBeginning, noneFound, readIdWord } from '../../platform/ids.ts';
import { type ListPage, type PagePosition, readPages } from '../../platform/replies/index.ts';
import { isRefusal, unless } from '../../platform/waiting/index.ts';
import { lastFailedRun } from './failed-calls.ts';
import { fetchShownRun } from './fetch-run.ts';
import { hasSucceeded, runHasFailed, runKey } from './run-status.ts';

interface ListOptions {
  asyncOnly?: true;
  /** Whether the last page, or all that was read, is enough. Asked only where what is left is older. */
  isEnough: (page: readonly Run[], runs: readonly Run[]) => boolean;
}

/** The fix for a list that does not end. */
export const fewerRunsFix = 'lower --limit, or shorten the range with --since';

type RunListSource = Pick<Context, 'api' | 'project' | 'platformNow'>;

/**
 * Reads the list of runs, which takes no filter and no range, until there are enough. Where the platform has only the chart,
 * that of the last hours. They come newest first, and are not complete if the platform announced more than it returned.
 */
export async function readRunList(source: RunListSource, app: string, options: ListOptions) {
  const { api, project } = source;
  const { asyncOnly, isEnough } = options;
  let read = (position: PagePosition | undefined): Promise<ListPage<Run>> => {
    return api(listRuns, { project, app, query: { asyncOnly, nextToken: atPosition(position).nextToken } });
  };
  const first = await read(undefined).catch((error: unknown) => {
    if (!isRefusal(error) || asyncOnly) throw error;
    read = chartPages(source, app);
    const isAbsent = error.facts.status !== 403;
    return read(undefined).catch((other) => Promise.reject(isAbsent && isRefusal(other) ? other : error));
  });
  const readNext = (position: PagePosition | undefined) => (position ? read(position) : Promise.resolve(first));
  const { runs, ...list } = await readRunPages({ read: readNext, by: 'token', fix: fewerRunsFix }, isEnough);
  return { ...list, runs: newestFirst(runs) };
}

/**
 * Reads pages of runs until there are enough. `total`: the least that a page announced. They are not complete if the
 * platform announced more than it returned.
 */
export async function readRunPages(
  pages: Omit<Parameters<typeof readPages<Run>>[0], 'key'>,
  isEnough: ListOptions['isEnough'] = () => false,
) {
  const reading = readPages<Run>({ ...pages, key: runKey });
  const runs: Run[] = [];
  let total = Number.POSITIVE_INFINITY;
  for (;;) {
    const next = await reading.next();
    if (next.done) return { runs, total, hasMore: false, isComplete: next.value };
    const { items, page } = next.value;
    for (const run of items) runs.push(run);
    total = Math.min(total, page.total ?? total);
    if (!isNewestFirst(page.items) || !isEnough(page.items, runs)) continue;
    return { runs, total, hasMore: Boolean(page.nextToken), isComplete: true };
  }
}

/** Longer ranges are aggregated (spec 4.6). */
const chartMs = 23 * hourMs;

function chartPages({ api, project, platformNow }: RunListSource, app: string) {
  const startTime = new Date(platformNow() - chartMs).toISOString();
  return (position: PagePosition | undefined): Promise<ListPage<Run>> =>
    readChart(api, { project, app }, { startTime, limit: 100, ...atPosition(position) });
}

/** Whether all runs of a page were created before a time (ms), as far as they say when. */
export function isPast(page: readonly Run[], since: number): boolean {
  return page.every(({ createdAt }) => toMs(createdAt) < since);
}

export function newestFirst<Item extends Run>(runs: readonly Item[]): Item[] {
  return runs.toSorted(latestFirst((run) => run.createdAt));
}

/** Whether what follows a page is older; not, if it does not say. */
function isNewestFirst(page: readonly Run[]): boolean {
  const times = page.map(({ createdAt }) => createdAt ?? Number.NaN);
  return times.every((time, at) => at === 0 || time <= (times[at - 1] ?? '')) && times.at(0) !== times.at(-1);
}

export function atPosition(position: PagePosition | undefined): Pick<RunsQuery, 'offset' | 'nextToken'> {
  if (!position) return {};
  return 'token' in position ? { nextToken: position.token } : { offset: position.offset };
}

/** A page of the single runs of a period. Throws UnexpectedReplyError if it has counts instead of runs. */
export async function readChart(api: Context['api'], of: { project: string; app: string }, query: RunsQuery) {
  const page = await api(getRunsChart, { ...of, query });
  const { items, aggregatedData } = page;
  if (items || !aggregatedData) return { ...page, items: items ?? [] };
  throw new UnexpectedReplyError('the platform returned counts instead of runs', {
    why: 'it documents that only for ranges over 24 hours, and this range is shorter',
    fix: 'try a shorter range: --since 1h',
  });
}

/** How many of the newest runs are searched. */
const maxSearched = 1_000;

/**
 * Returns the id of the run that a word names: an id, the beginning of one, `latest`, `latest:failed`; without a word, of
 * the latest one, which a note names. A whole id is not looked up. Throws NotFoundError, UsageError.
 */
export async function resolveRun(context: Context, app: string, word: string | undefined): Promise<string> {
  const wanted = readIdWord(word);
  if ('id' in wanted) return wanted.id;
  const { run, searched } = await searchRun(context, app, word);
  if (run) {
    if ('latest' in wanted) noteLatest(context, app, run);
    return run.id;
  }
  if (word === undefined || word === 'latest') {
    const { sampleInvocation } = await import('../../app/sample-call.ts');
    const call = await sampleInvocation(context.cwd, app);
    throw new NotFoundError(`${app} has no runs yet`, { fix: call ?? gantryCommand`invoke ${app}` });
  }
  const error = noneFound(word, { noun: 'run', app, list: gantryCommand`runs list ${app}` });
  error.facts.why = `the newest ${count(searched, 'run')} were searched`;
  throw error;
}

/** The list of runs is late: says which one was taken for the latest. */
function noteLatest({ progress, platformNow }: Context, app: string, { id, createdAt }: Run): void {
  const agoMs = Math.max(0, platformNow() - toMs(createdAt));
  const when = Number.isNaN(agoMs) ? '' : `, created ${duration(agoMs)} ago`;
  progress.note(`run ${id} of ${app}${when}; runs of the last seconds may not be listed yet`);
}

/** The list of runs, with the last call that failed from here, which the platform may not list yet. */
export async function readNewestRuns(context: Context, app: string, options: ListOptions) {
  const list = await readRunList(context, app, options);
  const recorded = await lastFailedRun(context, app);
  if (recorded === undefined || list.runs.some(({ id }) => id === recorded)) return list;
  const unlisted = await unless(isRefusal, fetchShownRun(context, app, recorded));
  return unlisted ? { ...list, runs: newestFirst([unlisted, ...list.runs]) } : list;
}

/** Reads pages up to the one that has it. */
async function searchRun(context: Context, app: string, word: string | undefined) {
  const wanted = readIdWord(word);
  const find = (runs: readonly Run[]) =>
    'latest' in wanted
      ? newestFirst(runs).find(hasResult[wanted.latest])
      : findByBeginning(word ?? '', { noun: 'run', app, items: runs, list: gantryCommand`runs list ${app}` });
  const { runs } = await readNewestRuns(context, app, {
    isEnough(_, searched) {
      const run = find(searched);
      // Ids may begin with the time, so that the next run may begin alike.
      const mayHaveTwin = 'beginning' in wanted && run === searched.at(-1);
      return (run !== undefined && !mayHaveTwin) || searched.length >= maxSearched;
    },
  });
  return { run: find(runs), searched: runs.length };
}

const hasResult = { any: () => true, succeeded: hasSucceeded, failed: runHasFailed };
