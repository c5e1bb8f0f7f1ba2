import { recordLook } from '../../deploys/history/index.ts';
import { NotFoundError, UsageError } from '../../kernel/errors.ts';
import { localTime } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type AppSummary, listApps } from '../../platform/contract/apps.ts';
import { getAppCost, getProjectCost } from '../../platform/contract/costs.ts';
import { shortAppName, toAppId } from '../../platform/contract/endpoint.ts';
import { amountOf } from '../../platform/contract/scalars.ts';
import { fetchApp } from '../../platform/replies/index.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import { callsWithin, readRunDays } from '../run-mirror/index.ts';
import { billOf, utcDay } from './bill.ts';
import type { AppCostReport, CostReport, DayCost, Figure } from './cost-report.ts';
import { figuresOf } from './figure-sources.ts';
import { findWaste, lowerCooldowns } from './find-waste.ts';
import { fitsSettings, misfitText } from './paid-time.ts';
import { ReplicaTime } from './replica-time.ts';

interface CostOptions {
  /** All apps of the project without it. */
  app: string | undefined;
  /** In ms since 1970, from the time of the platform. */
  since: ((now: number) => number) | undefined;
  until: ((now: number) => number) | undefined;
  explain: boolean;
}

interface Period {
  /** `2026-11-01`; the days of the platform are in UTC. */
  first: string;
  last: string;
  since: number;
  until: number;
  /** From the first of this month until today: the period of spec 2.5. */
  isMonth: boolean;
}

const dayMs = 86_400_000;

/** Reads what apps cost, by default in this month, and from their runs what for. Throws UsageError, NotFoundError. */
export async function readCost(context: Context, { app, since, until, explain }: CostOptions): Promise<CostReport> {
  const { api, project, progress } = context;
  const listed = await api(listApps, { project });
  const now = context.platformNow();
  const period = periodOf(now, since?.(now), until?.(now));
  const wanted = app === undefined ? listed : [findApp(listed, project, app)];
  const total = app === undefined ? tryRequest(context, (once) => once(getProjectCost, { project })) : undefined;
  const apps: AppCostReport[] = [];
  const figures: Figure[] = [];
  for (const summary of wanted) {
    const read = await readApp(context, summary, period);
    apps.push(read.report);
    for (const figure of read.figures) figures.push(figure);
  }
  const known = apps.map(({ costCents }) => costCents).filter((cents) => cents !== null);
  const projectCost = await total;
  if (apps.length === 0) progress.note('no apps yet');
  return {
    ...{ project, since: period.first, until: period.last },
    apps: apps.sort((a, b) => (b.costCents ?? 0) - (a.costCents ?? 0)),
    totalCents: known.length > 0 ? known.reduce((sum, cents) => sum + cents, 0) : null,
    unknown: apps.filter(({ costCents }) => costCents === null).map((each) => each.app),
    summary: projectCost?.summary ?? null,
    coupons: projectCost?.coupons ?? null,
    figures: explain ? figures : null,
  };
}

function findApp(listed: readonly AppSummary[], project: string, app: string): AppSummary {
  const found = listed.find(({ id, name }) => toAppId(project, id || (name ?? '')) === toAppId(project, app));
  if (!found) throw new NotFoundError(`app ${app} not found`);
  return found;
}

function periodOf(now: number, since: number | undefined, until: number | undefined): Period {
  const today = utcDay(now);
  const month = `${today.slice(0, 8)}01`;
  // A date that was typed is that day in any time zone.
  const first = since === undefined ? month : localDay(since);
  const last = until === undefined ? today : localDay(until);
  if (first > last) throw new UsageError(`--since ${first} is after --until ${last}`);
  const end = Math.min(now, Date.parse(last) + dayMs - 1);
  return { first, last, since: Date.parse(first), until: end, isMonth: first === month && last >= today };
}

async function readApp(context: Context, summary: AppSummary, period: Period) {
  const { api, project } = context;
  const name = shortAppName(project, summary.id || (summary.name ?? ''));
  const [app, costs] = await Promise.all([
    fetchApp(api, { project, app: name }),
    tryRequest(context, (once) => once(getAppCost, { project, app: name })),
  ]);
  const minReplicas = app.minReplicaCount ?? 0;
  const cooldown = app.cooldownPeriodSeconds ?? 0;
  const createdAt = Date.parse(app.createdAt ?? summary.createdAt ?? '') || 0;
  const until = Math.min(context.platformNow(), period.until + 1);
  const range = { since: Math.max(period.since, Math.min(createdAt, period.until)), until };
  const cooldowns = [...lowerCooldowns.filter((each) => each < cooldown), cooldown];
  // The day before as well: calls of it may run in the period, and clocks differ.
  const readFrom = Math.max(period.since, Math.min(createdAt, period.until)) - dayMs;
  const time = new ReplicaTime({ ...range, countFrom: Math.max(period.since, readFrom), cooldowns });
  // With other settings, replicas lived for another time.
  const changedAt = (await recordLook(context, name, app)).scalingSince();
  const settled = { since: Math.max(range.since, Math.min(changedAt, range.until)), until: range.until };
  const hasChanged = settled.since > range.since;
  const settledTime = hasChanged ? new ReplicaTime({ ...settled, countFrom: settled.since, cooldowns }) : time;
  const hasCalls = !(period.isMonth && summary.request_metrics?.total === 0);
  const read = { since: readFrom, until: hasCalls ? period.until : period.since - 1 };
  if (read.since <= read.until) {
    for await (const day of readRunDays(context, { app: name, ...read })) {
      time.add(day, callsWithin(day, read));
      if (hasChanged) settledTime.add(day, callsWithin(day, read));
    }
  }
  time.finish();
  if (hasChanged) settledTime.finish();
  const byDay = daysOf(costs?.costs, period);
  const ofMonth = period.isMonth ? monthCents(summary) : undefined;
  const ofDays = byDay && [...byDay.values()].reduce<number | undefined>((sum, cents) => add(sum, cents), 0);
  const cents = ofMonth ?? ofDays;
  const price = app.costPerSecondCents || undefined;
  const lived = time.replicaSeconds(cooldown, minReplicas);
  const paid = cents !== undefined && price !== undefined ? cents / price : undefined;
  const paidByDay = [...(byDay?.values() ?? [])].map((each) => (each ?? 0) / (price ?? Number.POSITIVE_INFINITY));
  const rangeMs = range.until - range.since;
  const doesFit =
    paid === undefined || fitsSettings({ seconds: paid, days: paidByDay }, { app, time, rangeSeconds: rangeMs / 1000 });
  const replicaSeconds = doesFit ? (paid ?? lived) : undefined;
  const isKnown = time.unknownCalls <= 0.1 * time.calls;
  const busySeconds = isKnown ? time.busySeconds : undefined;
  const idleSeconds =
    busySeconds === undefined || replicaSeconds === undefined ? undefined : Math.max(0, replicaSeconds - busySeconds);
  const idleCents =
    idleSeconds !== undefined && replicaSeconds ? cents && (cents * idleSeconds) / replicaSeconds : undefined;
  const bill = hasChanged ? billOf(costs?.costs, settled) : cents ? { least: cents, most: cents } : undefined;
  const facts = {
    ...{ app: name, minReplicas, cooldown, price, bill, time: settledTime, rangeMs: settled.until - settled.since },
    since: hasChanged ? new Date(settled.since).toISOString() : null,
  };
  const { waste, doubt } = doesFit ? findWaste(facts) : { waste: undefined, doubt: misfitText(name, cents, price) };
  if (doubt) context.progress.note(doubt);
  const report: AppCostReport = {
    ...{ app: name, costCents: cents ?? null, centsPerSecond: price ?? null },
    replicaSeconds: replicaSeconds ?? null,
    ...{ busySeconds: busySeconds ?? null, idleSeconds: idleSeconds ?? null, idleCents: idleCents ?? null },
    ...{ calls: time.calls, coldStarts: time.coldStarts },
    coldStartMs: time.coldStarts > 0 ? time.medianColdStartMs() : null,
    lastCallAt: time.lastCall === undefined ? null : new Date(time.lastCall).toISOString(),
    days: dayRows(period, byDay, time),
    waste: waste ?? null,
  };
  const sources = {
    cost: ofMonth !== undefined ? 'month' : ofDays !== undefined ? 'days' : undefined,
    replicaTime: doesFit ? (paid === undefined ? 'modeled' : 'paid') : 'unknown',
  } as const;
  return { report, figures: figuresOf(report, sources) };
}

/** Its fields are not documented: a total, or its parts. In US dollars. */
function monthCents({ cost_metrics: metrics }: AppSummary): number | undefined {
  const amount = (name: string) => amountOf(metrics?.[name]);
  const parts = [amount('cpu_cost'), amount('gpu_cost'), amount('memory_cost')];
  const dollars = amount('total_cost') ?? parts.reduce(add, 0);
  return dollars === undefined ? undefined : dollars * 100;
}

type Days = Map<string, number | undefined>;

function daysOf(costs: Record<string, { total_cost_cents?: number | undefined }> | undefined, { first, last }: Period) {
  if (!costs) return undefined;
  const days = Object.entries(costs).map(([day, cost]) => [day.slice(0, 10), cost.total_cost_cents] as const);
  const within: Days = new Map(days.filter(([day]) => day >= first && day <= last));
  return days.length > 0 ? within : undefined;
}

function add(sum: number | undefined, cents: number | undefined): number | undefined {
  return sum === undefined || cents === undefined ? undefined : sum + cents;
}

function dayRows({ since, until }: Period, costs: Days | undefined, { days }: ReplicaTime): DayCost[] {
  const rows: DayCost[] = [];
  for (let midnight = since; midnight <= until; midnight += dayMs) {
    const date = utcDay(midnight);
    const { calls, coldStarts, busySeconds } = days.get(midnight) ?? { calls: 0, coldStarts: 0, busySeconds: 0 };
    rows.push({ date, costCents: costs?.get(date) ?? null, calls, coldStarts, busySeconds });
  }
  return rows;
}

function localDay(time: number): string {
  return localTime(new Date(time).toISOString()).slice(0, 10);
}
