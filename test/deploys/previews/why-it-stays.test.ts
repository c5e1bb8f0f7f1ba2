import { expect, test } from 'vitest';
import { type PreviewFacts, whyItStays } from '../../../src/deploys/previews/prune-previews.ts';
import { buildFact, serving } from '../../../src/deploys/serving.ts';

const at = Date.UTC(2026, 10, 2, 8);
const statuses = ['success', 'building', 'pending', 'build_failure', 'cancelled', ''];

interface Cell {
  exists: boolean;
  isListed: boolean;
  /** Of the older build, and of the newer one. */
  statuses: [string, string];
  sent: readonly string[];
  committed: readonly string[];
  shows: string | null;
  /** Created long before, so that pending ones wait for nothing any more. */
  ageMs: number;
  /** Both have the same times. */
  isTie: boolean;
  main: string | undefined;
  byRecord: boolean;
}

function factsOf({
  exists,
  isListed,
  statuses: [older, newer],
  sent,
  committed,
  shows,
  ageMs,
  isTie,
  main,
}: Cell): PreviewFacts {
  const time = (ms: number) => new Date(at - ageMs - ms).toISOString();
  const list = [
    { id: 'b-1', status: older, createdAt: time(90_000), updatedAt: time(80_000) },
    { id: 'b-2', status: newer, createdAt: time(isTie ? 90_000 : 60_000), updatedAt: time(isTie ? 80_000 : 50_000) },
  ];
  const builds = isListed ? list.map((build) => buildFact(build)) : undefined;
  const app = exists ? ({ id: 'p-1-web' } as never) : undefined;
  const read = { app, list: isListed ? list : [], builds, shows, at, live: undefined };
  const lastSent = sent.at(-1);
  return { ...read, serving: serving(read), sent: new Set(sent), lastSent, main, committed: new Set(committed) };
}

const sets = [[], ['b-1'], ['b-2'], ['b-1', 'b-2']];

function* cells(): Generator<Cell> {
  const flags = [true, false];
  for (const exists of flags)
    for (const isListed of flags)
      for (const older of statuses)
        for (const newer of statuses)
          for (const sent of sets)
            for (const committed of sets)
              for (const shows of [null, 'b-1', 'b-2'])
                for (const ageMs of [0, 3_600_000])
                  for (const isTie of flags)
                    for (const main of [undefined, 'main'])
                      for (const byRecord of main ? [true] : flags)
                        yield {
                          exists,
                          isListed,
                          statuses: [older, newer],
                          sent,
                          committed,
                          shows,
                          ageMs,
                          isTie,
                          main,
                          byRecord,
                        };
}

/** It is there and idle, and if the flags go by the record: nothing of it is unknown, or nowhere else. */
function isSafe({ exists, isListed, statuses: found, sent, committed, shows, ageMs, main, byRecord }: Cell): boolean {
  const isIdle = found.every((status) => !/^(building)?$/.test(status) && !(status === 'pending' && ageMs === 0));
  if (!exists || !isListed || !isIdle || !byRecord) return exists && isListed && isIdle;
  const isNewest = sent.includes('b-2') || (sent.length > 0 && found[1] === 'cancelled');
  return isNewest && (shows === null || (sent.includes(shows) && (!main || committed.includes(shows))));
}

test('each cell of what may be known of a preview: it is deleted only where nothing can be lost', () => {
  const reasons = new Map<string, number>();
  const unsafe: Cell[] = [];
  let count = 0;
  for (const cell of cells()) {
    count += 1;
    const facts = factsOf(cell);
    const why = whyItStays(facts, cell.byRecord);
    reasons.set(why?.replace(/b-\d/, 'B') ?? 'deleted', (reasons.get(why?.replace(/b-\d/, 'B') ?? 'deleted') ?? 0) + 1);
    if (why === undefined && !isSafe(cell)) unsafe.push(cell);
  }
  expect(unsafe).toEqual([]);
  expect(count).toBe(82_944);
  expect([...reasons.keys()].sort()).toEqual([
    'build B has files that main does not have',
    'build B is in progress',
    'build B is not on record: another machine has deployed it',
    'build B may serve, and is not on record',
    'deleted',
    'it was deleted meanwhile',
    'its builds cannot be listed',
    'its last deploy is not on record',
    'the status of its builds is not known',
    'which build it serves is not known',
  ]);
});
