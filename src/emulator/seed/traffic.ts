import type { AppRecord, RunRecord, Traffic } from '../state/records.ts';
import { day, hour, minute, type TimeRange } from '../time.ts';
import { createRandom, type SeededRandom } from './random.ts';
import { SimulatedReplicas } from './simulated-replicas.ts';
import { type TrafficProfile, trafficProfiles } from './traffic-profiles.ts';

/** The calls of a range that an app's traffic makes up, newest first. */
export function generateRuns(app: AppRecord, range: TimeRange): RunRecord[] {
  const { traffic } = app;
  if (!traffic) return [];
  const start = Math.max(range.start, traffic.since);
  const calls: RunRecord[] = [];
  for (let date = dayOf(range.end); date >= dayOf(start); date -= 1) {
    const ofDay = generateDay(app, traffic, date);
    calls.push(...ofDay.filter(({ createdAt }) => createdAt >= start && createdAt <= range.end));
  }
  return calls;
}

/** Finds such a call by its id, in which its time is written. */
export function findGeneratedRun(app: AppRecord, id: string): RunRecord | undefined {
  const [, high = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  const at = Number.parseInt(high + low, 16);
  return Number.isNaN(at) ? undefined : generateRuns(app, { start: at, end: at }).find((call) => call.id === id);
}

/** What the names of an app's replicas begin with. */
export function replicaNames({ id }: AppRecord, { seed, rhythm }: Pick<Traffic, 'seed' | 'rhythm'>): string {
  return `${id}-${createRandom(`${seed}/${rhythm}`).hex(8)}`;
}

/** Newest first. */
function generateDay(app: AppRecord, { seed, rhythm: name, since }: Traffic, date: number): RunRecord[] {
  const rhythm: TrafficProfile = trafficProfiles[name];
  const nth = date - dayOf(since);
  const chance = createRandom(`${seed}/${name}/${nth}`);
  const trouble = incidentsOf(rhythm, date, since, seed, chance);
  const fleet = new SimulatedReplicas(rhythm, replicaNames(app, { seed, rhythm: name }), chance);
  return arrivals(rhythm, date, chance)
    .map((at) => {
      const call = chance.pick(rhythm.calls);
      const troubled = trouble.find(({ start, end }) => at >= start && at <= end);
      const statusCode = pickStatusCode(rhythm, troubled?.failing ?? rhythm.failing, chance);
      const runtime = chance.logNormal(call.runtime * (troubled?.slower ?? 1), call.spread);
      // Whoever gives up, does so before the end; what fails, fails at any time.
      const runtimeMs = Math.ceil(statusCode === 200 ? runtime : runtime * chance.next());
      const served = fleet.assign(at, runtimeMs);
      // Thousands of these are made at a time, and a literal is several times as fast as a spread.
      const run: RunRecord = {
        id: runIdAt(at, chance),
        app: app.id,
        createdAt: at,
        functionName: call.functionName,
        method: 'POST',
        async: call.async ?? false,
        container: served.container,
        pendingMs: served.pendingMs,
        proxyQueueMs: served.proxyQueueMs,
        containerQueueMs: served.containerQueueMs,
        coldstartMs: served.coldstartMs,
        runtimeMs,
        statusCode,
      };
      if (call.webhook) run.webhookEndpoint = call.webhook;
      return run;
    })
    .reverse();
}

function dayOf(time: number): number {
  return Math.floor(time / day);
}

/** When calls come: each hour has its number, on average, and they come any time within. No two come at once. */
function arrivals({ hours, weekend }: TrafficProfile, date: number, chance: SeededRandom): number[] {
  const part = isWeekend(date) ? weekend : 1;
  return hours
    .flatMap((mean, index) =>
      Array.from({ length: chance.count(mean * part) }, () => Math.floor(date * day + (index + chance.next()) * hour)),
    )
    .sort((a, b) => a - b)
    .filter((at, index, all) => at !== all[index - 1]);
}

/** The first day of 1970 was a Thursday. */
function isWeekend(date: number): boolean {
  return (date + 4) % 7 === 6 || (date + 4) % 7 === 0;
}

interface TrafficIncident extends TimeRange {
  failing: number;
  slower: number;
}

/** On one day in four something breaks for a few minutes, and once, not long before the seeding, for an afternoon. */
function incidentsOf(
  rhythm: TrafficProfile,
  date: number,
  since: number,
  seed: number,
  chance: SeededRandom,
): TrafficIncident[] {
  const startsAt = date * day + (8 + 12 * chance.next()) * hour;
  const short = { start: startsAt, end: startsAt + (6 + 12 * chance.next()) * minute, failing: 0.7, slower: 1 };
  const afternoon = { start: date * day + 13 * hour, end: date * day + 16.5 * hour, failing: 0.55, slower: 3 };
  return [
    ...(rhythm.badAfternoon && date === badDay(since, seed) ? [afternoon] : []),
    ...(chance.next() < 0.25 ? [short] : []),
  ];
}

/** A working day in the fourth week. */
function badDay(since: number, seed: number): number {
  const date = dayOf(since) + 22 + (Math.abs(seed) % 4);
  return isWeekend(date) ? date + 2 : date;
}

/** A few are cancelled, and of a few the caller hangs up. */
function pickStatusCode({ failures }: TrafficProfile, failing: number, chance: SeededRandom): number {
  const luck = chance.next();
  if (luck < 0.006) return 0;
  if (luck < 0.01) return -1;
  return luck < 0.01 + failing ? chance.pick(failures) : 200;
}

/** A UUID of the seventh kind: it begins with its time. */
function runIdAt(at: number, chance: SeededRandom): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${chance.hex(3)}-8${chance.hex(3)}-${chance.hex(6)}${chance.hex(6)}`;
}
