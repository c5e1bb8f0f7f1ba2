import { type BuildFact, buildFact, lateMs } from '../../src/deploys/serving.ts';
import { Draw } from '../chaos/draw.js';

const start = Date.UTC(2026, 10, 2, 8);

/** Builds, and what became of them by a rule that nobody documents. */
export interface DrawnWorld {
  draw: Draw;
  /** When the world ends, in ms. */
  at: number;
  /** How late an app shows what serves, in ms. */
  lagMs: number;
  servingAt: (time: number) => string | null;
  /** Those that ever served, the latest first. */
  served: string[];
  /** What the platform lists at the end: times with their fractions or without them, and some not at all. */
  listed: BuildFact[];
}

export function drawWorld(seed: number): DrawnWorld {
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
        endedAt: createdAt + uploadMs + draw.int(50, draw.pick([2_000, 60_000])),
        status: draw.pick(['success', 'success', 'success', 'success', 'success', 'build_failure', 'cancelled']),
      };
    });
  const servingAt = (time: number) => {
    const ready = builds.filter(({ status, endedAt }) => status === 'success' && endedAt <= time);
    const key = (build: (typeof builds)[number]) => (isByCreation ? build.place : build.endedAt);
    const last = ready.reduce<(typeof builds)[number] | undefined>(
      (latest, build) => (latest && key(latest) > key(build) ? latest : build),
      undefined,
    );
    return last?.id ?? null;
  };
  const begun = builds.map(({ endedAt }) => endedAt).sort((a, b) => b - a);
  const served = new Set(begun.filter((time) => time <= at).map(servingAt));
  const shownTime = (ms: number) =>
    draw.chance(hidden) ? undefined : new Date(Math.floor(ms / shownMs) * shownMs).toISOString();
  const firstLook = at - draw.pick([0, 0, 10_000, 59_000, 80_000]);
  const listed = builds
    .filter(({ createdAt }) => createdAt <= at)
    .map(({ id, status, createdAt, endedAt }): BuildFact => {
      const isOver = endedAt <= at;
      const readySeen = isOver ? Math.max(firstLook, endedAt) : undefined;
      const times = { createdAt: shownTime(createdAt), updatedAt: shownTime(isOver ? endedAt : createdAt) };
      return buildFact({ id, status: isOver ? status : 'building', ...times }, readySeen);
    });
  const lagMs = draw.int(0, lateMs - 1_000);
  return { draw, at, lagMs, servingAt, served: [...served].filter((id) => id !== null), listed };
}
