/**
 * Apps with their replicas, calls and bills, simulated from docs/platform.md alone: it shares no code with the client. A
 * replica starts for a call that finds none free, and ends after the cooldown without one; min_replicas of them never end.
 */

/** @typedef {import('./types.ts').BilledApp} BilledApp @typedef {import('./types.ts').AppPlan} AppPlan */

const day = 86_400_000;

/** Simulates an app whose calls arrive at these times. @param {AppPlan} plan @returns {BilledApp} */
export function billedApp({ name, settings, arrivals, runtimeOf, coldStartMs, centsPerSecond, from, to }) {
  const { minReplicas, maxReplicas, cooldownSeconds } = settings;
  /** @type {{ name: string, startedAt: number, freeAt: number }[]} */
  let alive = Array.from({ length: minReplicas }, (_, n) => ({
    name: `${name}-always-${n}`,
    startedAt: from,
    freeAt: from,
  }));
  /** @type {BilledApp['runs']} */
  const runs = [];
  /** @type {Map<string, number>} */
  const seconds = new Map();
  const bill = (/** @type {number} */ start, /** @type {number} */ end) => {
    for (let at = start; at < Math.min(end, to); ) {
      const next = Math.min(end, to, (Math.floor(at / day) + 1) * day);
      const date = new Date(at).toISOString().slice(0, 10);
      seconds.set(date, (seconds.get(date) ?? 0) + (next - at) / 1000);
      at = next;
    }
  };
  const retire = (/** @type {number} */ at) => {
    const idle = alive.filter(({ freeAt }) => freeAt + cooldownSeconds * 1000 < at).sort((a, b) => a.freeAt - b.freeAt);
    for (const replica of idle.slice(0, Math.max(0, alive.length - minReplicas))) {
      bill(replica.startedAt, replica.freeAt + cooldownSeconds * 1000);
      alive = alive.filter((each) => each !== replica);
    }
  };
  for (const [number, at] of arrivals.entries()) {
    retire(at);
    const free = alive.filter(({ freeAt }) => freeAt <= at).sort((a, b) => b.freeAt - a.freeAt);
    let replica = free[0];
    let [start, cold] = [at, 0];
    if (!replica && alive.length < maxReplicas) {
      cold = coldStartMs;
      start = at + cold;
      replica = { name: `${name}-${number}`, startedAt: at, freeAt: start };
      alive.push(replica);
    } else if (!replica) {
      replica = [...alive].sort((a, b) => a.freeAt - b.freeAt)[0];
      start = replica?.freeAt ?? at;
    }
    if (!replica) continue;
    const runtimeMs = runtimeOf(number);
    replica.freeAt = start + runtimeMs;
    runs.push({
      id: `${name}-${number}`,
      createdAt: at,
      pod: replica.name,
      coldStartMs: cold,
      queueMs: start - at,
      runtimeMs,
    });
  }
  retire(Number.POSITIVE_INFINITY);
  for (const { startedAt } of alive) bill(startedAt, to);
  const cents = new Map([...seconds].map(([date, each]) => [date, each * centsPerSecond]));
  const total = [...cents.values()].reduce((sum, each) => sum + each, 0);
  return { name, settings, runs, cents, total, seconds: total / centsPerSecond, centsPerSecond };
}
