import { expect, test } from 'vitest';
import { type BuildFact, buildFact, type ServingFacts } from '../../src/deploys/facts.ts';
import { lateMs, type Serving, serving } from '../../src/deploys/serving.ts';
import { Draw } from '../chaos/draw.js';
import { drawnCases } from '../support/extent.ts';

interface World {
  facts: ServingFacts;
  /** The same a minute later, with nothing new. */
  later: ServingFacts;
  serves: string | null;
}

const start = Date.UTC(2026, 10, 2, 8);

/** Builds, what became of them by a rule that nobody documents, and what a late app shows of it. */
function drawWorld(seed: number): World {
  const draw = new Draw(seed);
  const isByCreation = draw.chance(0.5);
  const shownMs = draw.pick([1, 1, 1000]);
  const hidden = draw.weighted([
    [9, 0.1],
    [1, 1],
  ]);
  const span = draw.pick([3_000, 30_000, 200_000]);
  const at = start + draw.int(span, span + 90_000);
  const builds = Array.from({ length: draw.int(1, 6) }, () => start + draw.int(0, span))
    .sort((a, b) => a - b)
    .map((createdAt, place) => {
      const uploadMs = draw.int(50, 2_000);
      return {
        // Ids say nothing of the order.
        id: `b-${draw.int(0, 9)}${place}`,
        place,
        createdAt,
        sentAt: createdAt + uploadMs,
        endedAt: createdAt + uploadMs + draw.int(50, draw.pick([2_000, 60_000])),
        status: draw.pick(['success', 'success', 'success', 'success', 'success', 'build_failure', 'cancelled']),
        isOwn: draw.chance(0.3),
      };
    });
  const servingAt = (time: number) => {
    const ready = builds.filter(({ status, endedAt }) => status === 'success' && endedAt <= time);
    const key = (build: (typeof builds)[number]) => (isByCreation ? build.place : build.endedAt);
    return ready.reduce<(typeof builds)[number] | undefined>(
      (last, build) => (last && key(last) > key(build) ? last : build),
      undefined,
    );
  };
  const shownTime = (ms: number) =>
    draw.chance(hidden) ? undefined : new Date(Math.floor(ms / shownMs) * shownMs).toISOString();
  const firstLook = at - draw.pick([0, 0, 10_000, 59_000, 80_000]);
  const listed = builds
    .filter(({ createdAt }) => createdAt <= at)
    .map(({ id, status, createdAt, sentAt, endedAt, isOwn }): BuildFact => {
      const isOver = endedAt <= at;
      const own = isOwn ? { createdAt: createdAt + 30, ...(sentAt <= at && { sentAt: sentAt + 10 }) } : {};
      const observed = { ...own, ...(isOver && { readySeen: Math.max(firstLook, endedAt) }) };
      const times = { createdAt: shownTime(createdAt), updatedAt: shownTime(isOver ? endedAt : createdAt) };
      return buildFact({ id, status: isOver ? status : 'building', ...times }, observed);
    });
  const lagMs = draw.int(0, lateMs - 1_000);
  const serves = servingAt(at)?.id ?? null;
  const facts = { at, shows: servingAt(at - lagMs)?.id ?? null, builds: listed };
  return { facts, later: { ...facts, at: at + lateMs + 3_000, shows: serves }, serves };
}

function isWrong(said: Serving, serves: string | null): boolean {
  if (said.is === 'none') return serves !== null;
  if (said.is === 'one') return said.build !== serves;
  return said.is === 'one-of' && serves !== null && !said.builds.includes(serves);
}

test('which build serves is never wrong, whichever rule a platform has and however late it shows it', () => {
  const wrong: number[] = [];
  const open: number[] = [];
  const said: Record<string, number> = {};
  for (let seed = 0; seed < drawnCases(20_000, 200_000); seed += 1) {
    const { facts, later, serves } = drawWorld(seed);
    const now = serving(facts);
    said[now.is] = (said[now.is] ?? 0) + 1;
    if (isWrong(now, serves)) wrong.push(seed);
    const inEnd = serving(later);
    if (inEnd.is === 'none' ? serves !== null : inEnd.is !== 'one' || inEnd.build !== serves) open.push(seed);
  }
  expect(wrong).toEqual([]);
  // A minute later, the app is right.
  expect(open).toEqual([]);
});
