/**
 * The runs of an app over time, and how a platform lists them (spec 2.6, 2.8, 4.6). Written from the specification alone:
 * it shares no code with the client. It has no clock: whoever asks says what time it is.
 */

/** @typedef {import('./types.ts').WorldRun} WorldRun @typedef {import('./types.ts').Manners} Manners */
/** @typedef {import('./types.ts').Query} Query */

const minute = 60_000;
const hour = 60 * minute;

/** Runs between two times, in bursts and calms: most end within seconds, some after hours, some never. */
export class RunPlatform {
  /** @type {WorldRun[]} */
  runs = [];
  requests = 0;

  /** @param {{ draw: import('../../chaos/draw.js').Draw, from: number, to: number, perDay: number, manners: Manners }} options */
  constructor({ draw, from, to, perDay, manners }) {
    this.manners = manners;
    this.draw = draw;
    for (let at = from, n = 0; at < to; n++) {
      const burst = draw.chance(0.01) ? draw.int(1, 150) : 1;
      for (let each = 0; each < burst; each++) this.runs.push(this.#run(at + each * 97, n * 1_000 + each));
      at += Math.ceil((-Math.log(1 - draw.next()) * 24 * hour * (burst > 1 ? 20 : 1)) / perDay);
    }
  }

  /** @param {number} createdAt @param {number} number @returns {WorldRun} */
  #run(createdAt, number) {
    const { draw } = this;
    const runtimeMs = draw.weighted([
      [90, draw.int(5, 20_000)],
      [5, draw.int(minute, 2 * hour)],
      [2, draw.int(2 * hour, 11 * hour)],
      [1, Number.POSITIVE_INFINITY],
    ]);
    const coldstartMs = draw.chance(0.2) ? draw.int(500, 60_000) : 0;
    const queueMs = coldstartMs + draw.int(0, 50);
    return {
      id: `${createdAt.toString(16)}-${number}`,
      createdAt,
      visibleAt: createdAt + (draw.chance(0.1) ? draw.int(1_000, 4 * minute) : 0),
      endsAt: createdAt + queueMs + runtimeMs,
      deletedAt: Number.POSITIVE_INFINITY,
      coldstartMs,
      queueMs,
      runtimeMs,
      code: draw.weighted([
        [95, 200],
        [3, 500],
        [1, 0],
        [1, -1],
      ]),
      pod: `web-${draw.int(1, 9)}`,
    };
  }

  /** Forgets what is older. @param {number} before @param {number} now */
  forget(before, now) {
    for (const run of this.runs) if (run.createdAt < before) run.deletedAt = Math.min(run.deletedAt, now);
  }

  /** The reply to a request for runs. @param {Query} query @param {number} now */
  chart({ startTime = '', endTime = '', limit = 100, offset = 0, nextToken }, now) {
    this.requests++;
    const { manners, draw } = this;
    const [from, to] = [Date.parse(startTime), Date.parse(endTime)];
    if (to - from > 24 * hour) return { aggregatedData: [], groupBy: 'hour', total: 0 };
    const inRange = (/** @type {WorldRun} */ { createdAt }) =>
      manners.ignoresRange || (createdAt >= from && (manners.excludesEnd ? createdAt < to : createdAt <= to));
    const found = this.runs.filter((run) => run.visibleAt <= now && run.deletedAt > now && inRange(run));
    found.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
    if (manners.order === 'oldest first') found.reverse();
    if (manners.order === 'any') for (const run of found) run.place = draw.next();
    if (manners.order === 'any') found.sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
    const start = nextToken === undefined ? offset : Number(nextToken);
    const end = start + Math.min(limit, manners.pageCap);
    const page = found.slice(start, end).filter(({ id }) => !manners.loses?.(id));
    const items = page.map((run) => this.#shown(run, now));
    if (manners.repeats && items.length > 0) items.push(draw.pick(items));
    return {
      items,
      ...(manners.hasToken && end < found.length && { nextToken: String(end) }),
      ...(manners.hasTotal && { total: found.length }),
    };
  }

  /** @param {WorldRun} run @param {number} now */
  #shown({ id, createdAt, endsAt, coldstartMs, queueMs, runtimeMs, code, pod }, now) {
    const { lacks } = this.manners;
    const ended = endsAt <= now;
    const fields = {
      id,
      createdAt: new Date(createdAt).toISOString(),
      podName: pod,
      coldstartTimeMs: coldstartMs,
      totalQueueTimeMs: queueMs,
      ...(ended && { runtimeMs, totalResponseTimeMs: runtimeMs + queueMs, statusCode: code }),
    };
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, lacks === name ? null : value]));
  }
}
