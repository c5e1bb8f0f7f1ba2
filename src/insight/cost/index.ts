import { factsOf } from '../../calls/replica-budget.ts';
import { hardwareFields, recordLook, scalingFields } from '../../deploys/history/index.ts';
import { dayMs } from '../../kernel/durations.ts';
import { UsageError } from '../../kernel/errors.ts';
import { withNulls } from '../../kernel/json-text.ts';
import { count, dollars, localTime, nullIfNaN, roundCents, toMs } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type App, type AppSummary, appName, listApps } from '../../platform/contract/apps.ts';
import { dayCostOf, getAppCost, getProjectCost } from '../../platform/contract/billing.ts';
import { shortAppName } from '../../platform/contract/endpoint.ts';
import { amountOf } from '../../platform/contract/scalars.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { callsWithin, type RunRange, readRunDays, rowsWithin } from '../run-mirror/index.ts';
import { billOf, utcDay } from './bill.ts';
import { findWaste, lowerCooldowns } from './find-waste.ts';
import { ReplicaTime } from './replica-time.ts';

export { type Bill, billOf, maxReplayError, offBy } from './bill.ts';
export { cooldownWord, leastSavedCents, monthMs, priceSentence, wasteFields } from './find-waste.ts';
export { checkHourlyBound } from './hourly-bound.ts';
export { median } from './replica-time.ts';

/** What apps cost, and what for. Null is what nobody has told: no price list is documented. */
export type CostReport = Awaited<ReturnType<typeof readCost>>;
export type AppCostReport = CostReport['apps'][number];

/** One day, in UTC. */
export type DayCost = ReturnType<typeof dayRows>[number];

interface CostOptions {
  /** All apps of the project without it. */
  app: string | undefined;
  /** In ms since 1970, from the time of the platform. */
  since: ((now: number) => number) | undefined;
  until: ((now: number) => number) | undefined;
}

type CostPeriod = ReturnType<typeof periodOf>;

/** How far the clocks of what creates apps and of what records their calls may be apart. */
const clockMs = 5_000;

/** Reads what apps cost, by default in this month, and from their runs what for. Throws UsageError, NotFoundError. */
export async function readCost(context: Context, { app, since, until }: CostOptions) {
  const { api, project, progress } = context;
  const listed = await api(listApps, { project });
  const now = context.platformNow();
  const period = periodOf(now, since?.(now), until?.(now));
  if (since && !until && period.first < period.last) {
    progress.note('today so far is included; --until yesterday leaves it out');
  }
  const isNamed = (each: AppSummary) => app !== undefined && appName(each, project) === shortAppName(project, app);
  // The list has no apps of files that were run.
  const wanted = app === undefined ? listed : [listed.find(isNamed) ?? (await fetchApp(api, { project, app }))];
  const total = app === undefined ? tryRequest(context, (once) => once(getProjectCost, { project })) : undefined;
  const apps = [];
  for (const summary of wanted) apps.push(await readApp(context, summary, period));
  const costs = apps.map(({ costCents }) => costCents).filter((cents) => cents !== null);
  const projectCost = await total;
  if (apps.length === 0) progress.note(`${project} has no apps; what deleted ones have cost is in the dashboard`);
  return {
    project,
    since: period.first,
    until: period.last,
    apps: apps.sort((a, b) => (b.costCents ?? 0) - (a.costCents ?? 0)),
    totalCents: costs.length > 0 ? roundCents(costs.reduce((sum, cents) => sum + cents, 0)) : null,
    unknown: apps.filter(({ costCents }) => costCents === null).map((each) => each.app),
    ...withNulls({ summary: projectCost?.summary, coupons: projectCost?.coupons }),
  };
}

/** The days of the platform are in UTC. `isMonth`: from the first of this month until today, the period of spec 2.5. */
function periodOf(now: number, since: number | undefined, until: number | undefined) {
  const today = utcDay(now);
  const month = `${today.slice(0, 8)}01`;
  // A date that was typed is that day in any time zone.
  const first = since === undefined ? month : localDay(since);
  const last = until === undefined ? today : localDay(until);
  if (first > last) throw new UsageError(`--since ${first} is after --until ${last}`);
  const end = Math.min(now, Date.parse(last) + dayMs - 1);
  return { first, last, since: Date.parse(first), until: end, isMonth: first === month && last >= today };
}

async function readApp(context: Context, summary: AppSummary, period: CostPeriod) {
  const { api, project } = context;
  const name = appName(summary, project);
  const [app, costs] = await Promise.all([
    fetchApp(api, { project, app: name }),
    tryRequest(context, (once) => once(getAppCost, { project, app: name })),
  ]);
  const { price, minReplicas, cooldownSeconds: cooldown } = factsOf(app);
  const times = await readTimes(context, app, summary, period);
  const { range, time, settled, settledTime } = times;
  const { byDay, cents, untold } = spentOn(summary, costs?.costs, period, times);
  const estimate = estimateReason(times, cents, price);
  const paid = estimate === null ? paidTime({ byDay, cents, untold }, price, time) : undefined;
  const doesFit = !paid || fitsSettings(paid, app, (range.until - range.since) / 1_000);
  const facts = {
    app: name,
    minReplicas,
    cooldown,
    price,
    bill: billOfCalls(times, costs?.costs, cents),
    time: settledTime,
    rangeMs: settled.until - settled.since,
    since: settledTime === time ? null : isoTime(settled.since),
  };
  const { waste, doubt } = doesFit ? findWaste(facts) : { waste: undefined, doubt: misfitText(name, cents, price) };
  if (doubt) context.progress.note(doubt);
  if (untold.length > 0) context.progress.note(untoldText(name, untold));
  if (estimate !== null) context.progress.note(`${name}: what is idle is an estimate by its calls: ${estimate}`);
  const replicaSeconds = paid?.seconds ?? time.replicaSeconds(cooldown, minReplicas, settled.since);
  return {
    app: name,
    costCents: roundCents(cents),
    centsPerSecond: nullIfNaN(price),
    ...idleOf(time, paid ?? time, doesFit ? replicaSeconds : Number.NaN, cents),
    estimate,
    calls: time.calls,
    coldStarts: time.coldStarts,
    coldStartMs: time.coldStarts > 0 ? time.medianColdStartMs() : null,
    lastCallAt: isoTime(time.lastCall),
    days: dayRows(period, byDay, { time, from: utcDay(range.since) }),
    waste: waste ?? null,
  };
}

/** What the calls with the settings of now cost; undefined if files ran as well, whose share nobody tells. */
function billOfCalls({ time, settled, settledTime, jobs }: Times, costs: Costs | undefined, cents: number) {
  if (jobs > 0) return undefined;
  if (settledTime !== time) return billOf(costs, settled);
  return cents ? { least: cents, most: cents } : undefined;
}

function isoTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

/** The replicas' time of the period, and of its last part with the settings of now; and how many jobs it has. */
async function readTimes(context: Context, app: App, summary: AppSummary, period: CostPeriod) {
  const name = appName(summary, context.project);
  const { cooldownSeconds: cooldown } = factsOf(app);
  const cooldowns = [...lowerCooldowns.filter((each) => each < cooldown), cooldown];
  const createdAt = toMs(app.createdAt ?? summary.createdAt) || 0;
  const since = Math.max(period.since, Math.min(createdAt, period.until));
  const range = { since, until: Math.min(context.platformNow(), period.until + 1) };
  // The day before as well: calls of it may run in the period, and clocks differ.
  const readFrom = since - dayMs;
  // One of the same name that was deleted before had calls of its own.
  const countFrom = Math.max(period.since, since - clockMs);
  const time = new ReplicaTime({ ...range, countFrom, cooldowns });
  const history = await recordLook(context, name, app);
  const hardwareSince = history.unchangedSince(hardwareFields);
  // With other settings, replicas lived for another time, or at another price.
  const changedAt = Math.max(hardwareSince, history.unchangedSince(scalingFields));
  const settled = { since: Math.max(since, Math.min(changedAt, range.until)), until: range.until };
  const settledTime =
    settled.since > since ? new ReplicaTime({ ...settled, countFrom: settled.since, cooldowns }) : time;
  const times = new Set([time, settledTime]);
  const hasNoCalls = period.isMonth && summary.request_metrics?.total === 0;
  const read = { since: readFrom, until: period.until };
  const jobs = !hasNoCalls && read.since <= read.until ? await addRuns(context, name, read, times) : 0;
  for (const each of times) each.finish();
  return { range, time, settled, settledTime, jobs, hardwareSince };
}

type Times = Awaited<ReturnType<typeof readTimes>>;

/** Why cost / price of now is not how long replicas lived; null if it is. */
function estimateReason({ range, time, jobs, hardwareSince }: Times, cents: number, price: number): string | null {
  if (Number.isNaN(cents * price)) return 'the platform does not tell its cost or price';
  if (hardwareSince > range.since) return `its hardware changed at ${isoTime(hardwareSince)}`;
  if (jobs > 0) return `${count(jobs, 'run')} of a file ${jobs === 1 ? 'is' : 'are'} in its cost`;
  const isNew = range.until - (time.lastCall ?? 0) < tolerance.seconds * 1_000;
  return cents === 0 && isNew ? 'nothing is billed yet, which takes up to an hour' : null;
}

async function addRuns(context: Context, app: string, range: Omit<RunRange, 'app'>, times: Set<ReplicaTime>) {
  let jobs = 0;
  for await (const day of readRunDays(context, { app, ...range })) {
    for (const time of times) time.add(day, callsWithin(day, range));
    for (const row of rowsWithin(day, { ...range, since: range.since + dayMs }))
      if (day.runs.word('kind', row) === 'job') jobs++;
  }
  return jobs;
}

/**
 * What it cost by day, and in all: NaN where the platform does not tell it. `untold`: days with calls that are over and are
 * not in that, by their midnight.
 */
function spentOn(summary: AppSummary, costs: Costs = {}, { first, last, isMonth }: CostPeriod, { time, range }: Times) {
  const days = Object.entries(costs).map(([day, cost]) => [day.slice(0, 10), dayCostOf(cost) ?? Number.NaN] as const);
  const byDay = new Map(days.filter(([day]) => day >= first && day <= last));
  const ofMonth = isMonth ? centsPerMonth(summary) : Number.NaN;
  if (!Number.isNaN(ofMonth)) return { byDay, cents: ofMonth, untold: [] };
  const isUntold = (midnight: number) => !byDay.has(utcDay(midnight)) && midnight + dayMs <= range.until;
  const untold = [...time.days.keys()].filter(isUntold);
  const isTold = byDay.size > 0 || (days.length > 0 && untold.length === 0);
  if (!isTold) return { byDay, cents: Number.NaN, untold: [] };
  return { byDay, cents: [...byDay.values()].reduce((sum, cents) => sum + cents, 0), untold };
}

function untoldText(app: string, [first = 0, ...others]: readonly number[]): string {
  const more = others.length > 0 ? ` and ${count(others.length, 'other day')}` : '';
  return `${app}: the platform does not tell its cost of ${utcDay(first)}${more}: cost, busy and idle are of the rest`;
}

/** Cost / price, in seconds of replicas. */
function paidTime({ byDay, cents, untold }: ReturnType<typeof spentOn>, price: number, time: ReplicaTime) {
  const busySeconds = untold.reduce((sum, day) => sum - (time.days.get(day)?.busySeconds ?? 0), time.busySeconds);
  return { busySeconds, seconds: cents / price, days: [...byDay.values()].map((each) => (each || 0) / price) };
}

function idleOf(time: ReplicaTime, busy: Pick<ReplicaTime, 'busySeconds'>, replicaSeconds: number, cents: number) {
  const busySeconds = time.unknownCalls <= 0.1 * time.calls ? busy.busySeconds : Number.NaN;
  const idleSeconds = Math.max(0, replicaSeconds - busySeconds);
  return {
    replicaSeconds: nullIfNaN(replicaSeconds),
    busySeconds: nullIfNaN(busySeconds),
    idleSeconds: nullIfNaN(idleSeconds),
    idleCents: roundCents((cents * idleSeconds) / replicaSeconds),
  };
}

/** Its fields are not documented: a total, or its parts. In US dollars. */
function centsPerMonth({ cost_metrics: metrics }: AppSummary): number {
  const amount = (name: string) => amountOf(metrics?.[name]) ?? Number.NaN;
  const parts = amount('cpu_cost') + amount('gpu_cost') + amount('memory_cost');
  return 100 * (amountOf(metrics?.total_cost) ?? parts);
}

type Costs = Record<string, unknown>;

/** Before the day `from`, there was no app. */
function dayRows(
  { since, until }: CostPeriod,
  costs: ReadonlyMap<string, number>,
  { time: { days }, from }: { time: ReplicaTime; from: string },
) {
  const rows = [];
  for (let midnight = since; midnight <= until; midnight += dayMs) {
    const date = utcDay(midnight);
    const { calls, coldStarts, busySeconds } = days.get(midnight) ?? { calls: 0, coldStarts: 0, busySeconds: 0 };
    rows.push({ date, costCents: date < from ? 0 : roundCents(costs.get(date)), calls, coldStarts, busySeconds });
  }
  return rows;
}

function localDay(time: number): string {
  return localTime(new Date(time).toISOString()).slice(0, 10);
}

const daySeconds = 86_400;
/** A deploy runs two versions for a while, and a bill comes up to an hour late. */
const tolerance = { most: 1.5, least: 0.5, seconds: 3_600 };

/**
 * Whether replicas can have lived for as long as the price of now says: not longer than all of them in the period and on each
 * day, and not shorter than their calls. If not, the price or the scaling was another one, and the time is not known.
 */
function fitsSettings(paid: ReturnType<typeof paidTime>, app: App, rangeSeconds: number): boolean {
  const replicas = Math.max(app.minReplicaCount ?? 0, app.maxReplicaCount ?? Number.POSITIVE_INFINITY);
  const canBe = (seconds: number, length: number) =>
    seconds <= tolerance.most * replicas * length + tolerance.seconds * Math.max(1, replicas);
  return (
    canBe(paid.seconds, rangeSeconds) &&
    paid.days.every((seconds) => canBe(seconds, daySeconds)) &&
    paid.busySeconds - paid.seconds <= Math.min(tolerance.seconds, tolerance.least * paid.busySeconds)
  );
}

function misfitText(app: string, cents: number, price: number): string {
  const hourly = dollars(3_600 * price);
  return `${app}: what is idle is not known: a cost of ${dollars(cents)} does not fit the price of now, ${hourly} an hour; the price or the scaling was another one`;
}
