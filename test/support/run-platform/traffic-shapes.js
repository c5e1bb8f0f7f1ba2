import { Draw } from '../../chaos/draw.js';

/** Traces of shapes that apps have: four weeks each. Times in ms since 1970. */

/** @typedef {import('./types.ts').TrafficShape} TrafficShape */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
export const tracesFrom = Date.UTC(2026, 9, 5);
const weeks = 4;
export const tracesTo = tracesFrom + weeks * 7 * day;

/** @param {Draw} draw @param {number} mean */
const exponential = (draw, mean) => -mean * Math.log(1 - draw.next());
/** @param {Draw} draw @param {number} median @param {number} sigma */
const logNormal = (draw, median, sigma) => {
  const normal = Math.sqrt(-2 * Math.log(1 - draw.next())) * Math.cos(2 * Math.PI * draw.next());
  return Math.max(1, Math.round(median * Math.exp(sigma * normal)));
};

/** Arrivals whose rate an hour changes over time, by thinning. @param {Draw} draw @param {number} most @param {(at: number) => number} rateAt */
function poisson(draw, most, rateAt) {
  const times = [];
  for (let at = tracesFrom; at < tracesTo; ) {
    at += exponential(draw, hour / most);
    if (at < tracesTo && draw.next() < rateAt(at) / most) times.push(Math.round(at));
  }
  return times;
}

const hourOf = (/** @type {number} */ at) => (at % day) / hour;
const dayOf = (/** @type {number} */ at) => Math.floor((at - tracesFrom) / day);

/** @type {Record<string, (draw: Draw) => Omit<TrafficShape, 'name'>>} */
const shapes = {
  bursts: (draw) => ({
    arrivals: poisson(draw, 1.2, () => 1.2).flatMap((at) =>
      Array.from({ length: draw.int(4, 30) }, () => at + Math.round(exponential(draw, 40 * second))),
    ),
    runtimeOf: () => logNormal(draw, 2_500, 0.5),
    startMs: () => logNormal(draw, 11_000, 0.3),
    settings: { minReplicas: 0, maxReplicas: 4, cooldownSeconds: 120, concurrency: 1 },
    balancing: 'round-robin',
    bindsStarts: false,
  }),
  'days and nights': (draw) => ({
    arrivals: poisson(draw, 90, (at) => 45 * (1 - 0.95 * Math.cos((2 * Math.PI * hourOf(at)) / 24))),
    runtimeOf: () => logNormal(draw, 1_800, 0.6),
    startMs: () => logNormal(draw, 14_000, 0.25),
    settings: { minReplicas: 0, maxReplicas: 3, cooldownSeconds: 180, concurrency: 1 },
    balancing: 'first',
    bindsStarts: true,
  }),
  'one long tail': (draw) => ({
    arrivals: poisson(draw, 12, () => 12),
    runtimeOf: () => Math.min(2 * hour, Math.round(3_000 * (1 - draw.next()) ** (-1 / 1.3))),
    startMs: () => logNormal(draw, 22_000, 0.4),
    settings: { minReplicas: 0, maxReplicas: 3, cooldownSeconds: 240, concurrency: 1 },
    balancing: 'round-robin',
    bindsStarts: true,
  }),
  'on-off': (draw) => ({
    arrivals: poisson(draw, 200, (at) => (Math.floor((at - tracesFrom) / (2.5 * hour)) % 3 === 0 ? 200 : 0.4)),
    runtimeOf: () => logNormal(draw, 9_000, 0.7),
    startMs: () => logNormal(draw, 8_000, 0.3),
    settings: { minReplicas: 0, maxReplicas: 3, cooldownSeconds: 60, concurrency: 1 },
    balancing: 'least-busy',
    bindsStarts: false,
  }),
  'a launch': (draw) => ({
    arrivals: poisson(draw, 150, (at) => (dayOf(at) < 12 ? 4 : 150 * Math.exp(-(dayOf(at) - 12) / 5) + 12)),
    runtimeOf: () => logNormal(draw, 4_000, 0.5),
    startMs: () => logNormal(draw, 17_000, 0.2),
    settings: { minReplicas: 0, maxReplicas: 5, cooldownSeconds: 300, concurrency: 1 },
    balancing: 'round-robin',
    bindsStarts: false,
  }),
  'office hours': (draw) => ({
    arrivals: poisson(draw, 60, (at) => {
      const isWeekend = dayOf(at) % 7 >= 5;
      return isWeekend ? 1 : hourOf(at) > 8 && hourOf(at) < 18 ? 60 : 2;
    }),
    runtimeOf: () => logNormal(draw, 6_500, 0.4),
    startMs: () => logNormal(draw, 31_000, 0.3),
    settings: { minReplicas: 0, maxReplicas: 4, cooldownSeconds: 90, concurrency: 1 },
    balancing: 'least-busy',
    bindsStarts: true,
  }),
  'a timer and people': (draw) => ({
    arrivals: [
      ...Array.from({ length: weeks * 7 * 96 }, (_, n) => tracesFrom + n * 15 * minute + draw.int(0, 2_000)),
      ...poisson(draw, 6, () => 6),
    ],
    runtimeOf: () => logNormal(draw, 140_000, 0.3),
    startMs: () => logNormal(draw, 19_000, 0.25),
    settings: { minReplicas: 0, maxReplicas: 2, cooldownSeconds: 300, concurrency: 1 },
    balancing: 'first',
    bindsStarts: false,
  }),
  'four at once': (draw) => ({
    arrivals: poisson(draw, 300, (at) => 150 * (1 + 0.9 * Math.sin((2 * Math.PI * (at - tracesFrom)) / (7 * hour)))),
    runtimeOf: () => logNormal(draw, 12_000, 0.8),
    startMs: () => logNormal(draw, 9_000, 0.3),
    settings: { minReplicas: 0, maxReplicas: 4, cooldownSeconds: 45, concurrency: 4 },
    balancing: 'round-robin',
    bindsStarts: true,
  }),
  'more than it can take': (draw) => ({
    arrivals: poisson(draw, 700, (at) => (hourOf(at) > 12 && hourOf(at) < 14.5 ? 700 : 15)),
    runtimeOf: () => logNormal(draw, 11_000, 0.3),
    startMs: () => logNormal(draw, 25_000, 0.3),
    settings: { minReplicas: 1, maxReplicas: 2, cooldownSeconds: 150, concurrency: 1 },
    balancing: 'least-busy',
    bindsStarts: false,
  }),
  'now and then': (draw) => ({
    arrivals: poisson(draw, 2, () => 2).flatMap((at) =>
      Array.from({ length: draw.int(1, 4) }, (_, n) => at + n * logNormal(draw, 50_000, 1)),
    ),
    runtimeOf: () => logNormal(draw, 30_000, 0.9),
    startMs: () => logNormal(draw, 41_000, 0.4),
    settings: { minReplicas: 0, maxReplicas: 2, cooldownSeconds: 30, concurrency: 1 },
    balancing: 'round-robin',
    bindsStarts: true,
  }),
};

/** The same seed makes the same traces. @param {number} seed @returns {TrafficShape[]} */
export function trafficShapes(seed) {
  return Object.entries(shapes).map(([name, make], at) => ({ name, ...make(new Draw(100 * seed + at)) }));
}
