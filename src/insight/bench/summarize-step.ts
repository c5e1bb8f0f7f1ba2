import { quantile } from '../../calls/difference.ts';
import type { AppFacts } from '../../calls/replica-budget.ts';
import type { CallRecord } from './server-half.ts';
import { noConnection, noResponse, type StepCalls } from './step-calls.ts';

/** The least share of calls that succeed: below it, the app does not keep up. */
const minSucceeded = 0.99;
/** If the last calls take this many times as long as the first ones, and this much longer, they queue up. */
const growth = { factor: 2, ms: 100 };
const fewCalls = 8;

export type BenchStep = ReturnType<typeof summarizeStep>;
export type CallParts = NonNullable<BenchStep['parts']>;
export type BenchSecond = ReturnType<typeof secondsOf>[number];

/** Calls that were made at one rate. Times in ms, of calls that succeeded or got no response in time. `busy`: of one processor. */
export function summarizeStep(
  calls: StepCalls,
  records: ReadonlyMap<number, CallRecord>,
  facts: AppFacts,
  busy: number,
) {
  const { price } = facts;
  const durations = durationsOf(calls, 0, calls.sent).sort();
  const succeeded = countCalls(calls, (call) => calls.hasSucceeded(call));
  const at = (share: number) => quantile(durations, share);
  const replicas = new Set([...records.values()].flatMap(({ replica }) => replica ?? []));
  const seconds = records.size > 0 ? replicaSeconds(calls, records, facts) : undefined;
  const isMeasured = price !== undefined && seconds !== undefined && succeeded > 0;
  return {
    callsPerSecond: calls.rate,
    calls: calls.sent,
    succeeded,
    failures: failuresOf(calls),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    maxMs: at(1),
    parts: partsOf(calls, records),
    coldStarts: records.size > 0 ? [...records.values()].filter(({ coldStartMs }) => coldStartMs > 0).length : null,
    replicas: replicas.size || null,
    centsPerThousand: isMeasured ? (1_000 * price * seconds) / succeeded : null,
    holds: keepsUp(calls, succeeded),
    localLimit: localLimitOf(calls, busy),
  };
}

/** Whether hardly a call fails, and calls do not take longer and longer. */
export function keepsUp(calls: StepCalls, succeeded = countCalls(calls, (call) => calls.hasSucceeded(call))): boolean {
  if (calls.sent === 0 || succeeded < minSucceeded * calls.sent) return false;
  if (calls.sent < fewCalls) return true;
  const third = Math.floor(calls.sent / 3);
  const first = quantile(durationsOf(calls, 0, third).sort(), 0.5) ?? 0;
  const last = quantile(durationsOf(calls, calls.sent - third, calls.sent).sort(), 0.5) ?? 0;
  return last <= growth.factor * first || last - first <= growth.ms;
}

export function meanAppMs(steps: readonly BenchStep[]): number | undefined {
  const appTimes = steps.flatMap(({ parts, holds }) => (parts && holds ? [parts.appMs] : []));
  return appTimes.length > 0 ? appTimes.reduce((least, each) => Math.min(least, each)) : undefined;
}

/** Calls by the second in which they were due. */
export function secondsOf(calls: StepCalls) {
  const seconds = [];
  for (let from = 0; from < calls.sent; ) {
    const second = Math.floor(calls.dueAt(from) / 1_000);
    let to = from + 1;
    while (to < calls.sent && calls.dueAt(to) < (second + 1) * 1_000) to++;
    const durations = durationsOf(calls, from, to).sort();
    let failed = 0;
    for (let call = from; call < to; call++) if (!calls.hasSucceeded(call)) failed++;
    seconds.push({
      at: calls.startedAt + second * 1_000,
      calls: to - from,
      failed,
      p50Ms: quantile(durations, 0.5),
      p99Ms: quantile(durations, 0.99),
    });
    from = to;
  }
  return seconds;
}

/** Durations of calls that succeeded or got no response in time: one that is refused at once is not fast. */
function durationsOf(calls: StepCalls, from: number, to: number): Float64Array {
  const durations = new Float64Array(to - from);
  let length = 0;
  for (let call = from; call < to; call++) {
    if (calls.hasSucceeded(call) || calls.status[call] === noResponse) durations[length++] = calls.durationMs(call);
  }
  return durations.subarray(0, length);
}

function countCalls(calls: StepCalls, counts: (call: number) => boolean): number {
  let number = 0;
  for (let call = 0; call < calls.sent; call++) if (counts(call)) number++;
  return number;
}

function failuresOf(calls: StepCalls) {
  const failures = new Map(calls.reasons);
  for (let call = 0; call < calls.sent; call++) {
    const status = calls.status[call] as number;
    if (calls.hasSucceeded(call) || status === noConnection) continue;
    const what = status === noResponse ? 'no response in time' : `HTTP ${status}`;
    failures.set(what, (failures.get(what) ?? 0) + 1);
  }
  return [...failures].map(([what, number]) => ({ what, calls: number })).sort((a, b) => b.calls - a.calls);
}

function partsOf(calls: StepCalls, records: ReadonlyMap<number, CallRecord>) {
  const sum = { meanMs: 0, localMs: 0, lineMs: 0, queueMs: 0, coldStartMs: 0, appMs: 0 };
  let number = 0;
  for (const [call, { runtimeMs, coldStartMs, queueMs }] of records) {
    if (!calls.hasSucceeded(call) || Number.isNaN(runtimeMs)) continue;
    const all = calls.durationMs(call);
    const local = calls.lateMs(call);
    number++;
    sum.meanMs += all;
    sum.localMs += local;
    sum.queueMs += queueMs;
    sum.coldStartMs += coldStartMs;
    sum.appMs += runtimeMs;
    sum.lineMs += all - local - queueMs - coldStartMs - runtimeMs;
  }
  if (number === 0) return null;
  return Object.fromEntries(Object.entries(sum).map(([name, ms]) => [name, ms / number])) as typeof sum;
}

/**
 * How long replicas were paid for in a step: from the start for its first call, until the cooldown after its last one; and
 * min_replicas all the time, whether they had calls or not.
 */
function replicaSeconds(
  calls: StepCalls,
  records: ReadonlyMap<number, CallRecord>,
  { cooldownSeconds, minReplicas }: AppFacts,
): number {
  const lives = new Map<string, { startedAt: number; to: number }>();
  let end = calls.startedAt + calls.dueAt(calls.sent);
  for (const { replica, createdAt, queueMs, coldStartMs, runtimeMs } of records.values()) {
    if (replica === undefined || Number.isNaN(createdAt + runtimeMs)) continue;
    const to = createdAt + queueMs + coldStartMs + runtimeMs;
    // A replica without a cold start was there already.
    const life = lives.get(replica) ?? { startedAt: calls.startedAt, to };
    const startedAt = coldStartMs > 0 ? createdAt + queueMs : life.startedAt;
    lives.set(replica, { startedAt: Math.max(life.startedAt, startedAt), to: Math.max(life.to, to) });
    end = Math.max(end, to);
  }
  const lived = [...lives.values()].map(({ startedAt, to }) =>
    Math.max(0, Math.min(end, to + cooldownSeconds * 1_000) - startedAt),
  );
  const others = lived.sort((one, other) => other - one).slice(minReplicas);
  return others.reduce((sum, ms) => sum + ms, minReplicas * (end - calls.startedAt)) / 1_000;
}

const limits = { busy: 0.9, lateMs: 10 };

function localLimitOf(calls: StepCalls, busy: number): string | null {
  const late = new Float64Array(calls.sent).map((_, call) => calls.lateMs(call)).sort();
  const lateMs = quantile(late, 0.9) ?? 0;
  if (busy >= limits.busy) return `gantry used ${Math.round(100 * busy)} % of a processor here`;
  if (lateMs >= limits.lateMs) return `calls left this machine up to ${Math.round(lateMs)} ms late`;
  return null;
}
