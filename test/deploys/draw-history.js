import { Draw } from '../chaos/draw.js';

/** @typedef {import('../support/app-platform/types.ts').Behavior} Behavior */
/** @typedef {import('../support/app-platform/types.ts').Quirks} Quirks */
/** What is true of a build. Idle: nothing of it can be seen. Superseded: another one goes live while it is watched. */
/** @typedef {'healthy' | 'sick' | 'idle' | 'superseded'} Label */
/** @typedef {{ label: Label, behaves: Behavior, minReplicas: number, othersAfterMs?: number, isStrangers: boolean }} Drawn */

/** A history of an app: a platform, and builds with what is true of them. Knows nothing of the client. @param {number} seed */
export function drawHistory(seed) {
  const draw = new Draw(seed);
  const builds = Array.from({ length: draw.int(3, 5) }, () => drawBuild(draw));
  return { quirks: drawQuirks(draw), builds };
}

/** @param {Draw} draw @returns {Quirks} */
function drawQuirks(draw) {
  return {
    hasStatuses: draw.chance(0.5),
    hasText: draw.chance(0.3),
    hasNoTimes: draw.chance(0.2),
    ...(draw.chance(0.3) && { lagsMs: draw.int(500, 9_000), flickers: draw.chance(0.5) }),
    ...(draw.chance(0.3) && { pageSize: draw.int(7, 30) }),
    ...(draw.chance(0.2) && { refuses: { runs: /** @type {const} */ (404) } }),
    ...(draw.chance(0.3) && { defaults: { cooldownPeriodSeconds: draw.int(5, 600), maxReplicaCount: draw.int(2, 9) } }),
  };
}

/** @param {Draw} draw @returns {Drawn} */
function drawBuild(draw) {
  const label = draw.weighted(
    /** @type {[number, Label][]} */ ([
      [5, 'healthy'],
      [4, 'sick'],
      [2, 'idle'],
      [1, 'superseded'],
    ]),
  );
  const minReplicas = draw.int(1, 3);
  const buildMs = draw.int(500, 20_000);
  const isStrangers = label === 'healthy' && draw.chance(0.2);
  const { least = minReplicas, ...behaves } = kinds[label](draw);
  return {
    label,
    isStrangers,
    minReplicas: least,
    behaves: { ...behaves, buildMs },
    ...(label === 'superseded' && { othersAfterMs: draw.int(3_000, 15_000) }),
  };
}

/** @type {Record<Label, (draw: Draw) => Behavior & { least?: number }>} */
const kinds = {
  healthy: (draw) =>
    draw.pick([
      () => ({}),
      () => ({ replicas: /** @type {const} */ ('restarts-once') }),
      () => ({ calls: { everyMs: draw.int(1_500, 5_000) } }),
      () => ({ least: 0, calls: { everyMs: draw.int(1_500, 5_000) } }),
      () => ({ lingersMs: draw.int(3_000, 9_000), calls: { everyMs: draw.int(1_500, 3_000) } }),
      () => ({ calls: { everyMs: 600, failing: draw.int(40, 60), code: draw.pick([422, 500, 404]) } }),
    ])(),
  sick: (draw) =>
    draw.pick([
      () => ({ replicas: /** @type {const} */ ('crash') }),
      () => ({ replicas: /** @type {const} */ ('crash'), calls: { everyMs: draw.int(500, 5_000) } }),
      () => ({ replicas: /** @type {const} */ ('renamed') }),
      () => ({ least: 2, replicas: /** @type {const} */ ('half') }),
      () => ({ calls: { everyMs: draw.int(1_500, 4_000), failing: 1, code: draw.pick([500, 503]) } }),
      () => ({ calls: { everyMs: 1_000, failing: draw.int(2, 3), code: 500 } }),
    ])(),
  idle: (draw) =>
    draw.pick([
      () => ({ least: 0 }),
      () => ({ replicas: /** @type {const} */ ('waiting') }),
      () => ({ replicas: /** @type {const} */ ('unlisted'), calls: { everyMs: draw.int(1_500, 4_000) } }),
    ])(),
  superseded: (draw) => draw.pick([() => ({}), () => ({ least: 0 }), () => ({ calls: { everyMs: 1_000 } })])(),
};
