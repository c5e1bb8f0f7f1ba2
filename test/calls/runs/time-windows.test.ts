import { describe, expect, test } from 'vitest';
import { type RunQuery, searchTimeWindows } from '../../../src/calls/runs/search-runs.ts';
import { UnexpectedReplyError } from '../../../src/kernel/errors.ts';
import type { Api } from '../../../src/platform/api/client.ts';

const hour = 3_600_000;
const end = Date.UTC(2026, 10, 20);

interface Query {
  startTime: string;
  endTime: string;
  limit: number;
  offset?: number;
}

/** A platform with one run at each of these hours before the end; both ends of a window count. */
function platform(runHours: number[]) {
  const asked: Query[] = [];
  const api = async (_: unknown, { query }: { query: Query }) => {
    asked.push(query);
    const found = runHours
      .map((before) => ({ id: `r${before}`, createdAt: new Date(end - before * hour).toISOString() }))
      .filter(({ createdAt }) => createdAt >= query.startTime && createdAt <= query.endTime);
    return { items: found.slice(query.offset ?? 0).slice(0, query.limit), total: found.length };
  };
  return { asked, api: api as unknown as Api };
}

async function search(runHours: number[], hours: number, query: Partial<RunQuery> = {}) {
  const { api, asked } = platform(runHours);
  const progress: string[] = [];
  const found = await searchTimeWindows(
    { api, project: 'p-1', platformNow: () => end, onProgress: (text) => void progress.push(text) },
    {
      app: 'p-1-web',
      since: end - hours * hour,
      until: end,
      filters: {},
      asyncOnly: false,
      limit: Number.POSITIVE_INFINITY,
      ...query,
    },
  );
  return { ...found, ids: found.runs.map(({ id }) => id), asked, progress };
}

/** How many hours before the end a time is. */
const before = (time: string) => (end - Date.parse(time)) / hour;
const windows = (asked: Query[]) => asked.map(({ startTime, endTime }) => [before(startTime), before(endTime)]);

describe('runs over a range', () => {
  test.each([
    [1, [[1, 0]]],
    [24, [[24, 0]]],
    [
      25,
      [
        [24, 0],
        [25, 24],
      ],
    ],
    [
      60,
      [
        [24, 0],
        [48, 24],
        [60, 48],
      ],
    ],
  ])('of %i hours are read in windows of at most a day, newest first', async (hours, expected) => {
    expect(windows((await search([], hours)).asked)).toEqual(expected);
  });

  test('of no length are read once', async () => {
    expect(windows((await search([], 0)).asked)).toEqual([[0, 0]]);
  });

  test('at the boundary of two windows are found once, and counted once', async () => {
    const { ids, total } = await search([1, 24, 47], 48);
    expect([ids, total]).toEqual([['r1', 'r24', 'r47'], 3]);
  });

  test('are read up to the limit: the rest of the range is not searched', async () => {
    const { asked, hasMore, total, ids } = await search([1, 2, 3, 30, 60], 72, { limit: 3 });
    expect([windows(asked), hasMore, total, ids.length]).toEqual([[[24, 0]], true, 3, 3]);
  });

  test('are searched further until there are enough', async () => {
    const { hasMore, ids } = await search([1, 30, 50], 72, { limit: 3 });
    expect([hasMore, ids]).toEqual([false, ['r1', 'r30', 'r50']]);
  });

  test('are read by at most four requests at a time, after the first has shown how many there are', async () => {
    const { progress } = await search([1], 24 * 10, { limit: 100 });
    expect(progress.map((text) => /in (\d+) of/.exec(text)?.[1])).toEqual(['1', '5', '9', '10']);
  });

  test('are asked for in pages of at least 100', async () => {
    const { asked } = await search([], 1, { limit: 3 });
    expect(asked.map(({ limit }) => limit)).toEqual([100]);
    expect((await search([], 1, { limit: 250 })).asked[0]?.limit).toBe(250);
    expect((await search([], 1)).asked[0]?.limit).toBe(1_000);
  });

  test('are read page by page', async () => {
    const many = Array.from({ length: 250 }, (_, index) => index / 100);
    const { ids, asked, isComplete } = await search(many, 3, { limit: 1_000_000 });
    expect(ids).toHaveLength(250);
    expect(isComplete).toBe(true);
    expect(asked[0]?.limit).toBe(1_000);
  });

  test('are an error if the platform returns counts instead', async () => {
    const api = (async () => ({ aggregatedData: [] })) as unknown as Api;
    const query = { app: 'a', since: end - hour, until: end, filters: {}, asyncOnly: false, limit: 1 };
    await expect(
      searchTimeWindows({ api, project: 'p-1', platformNow: () => end, onProgress: () => {} }, query),
    ).rejects.toThrow(UnexpectedReplyError);
  });
});
