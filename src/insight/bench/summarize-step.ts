import { quantile } from '../../calls/difference.ts';
import type { AppFacts } from '../../calls/replica-budget.ts';
import { onceFor } from '../../kernel/once.ts';
import { nullIfNaN } from '../../kernel/output/format.ts';
import { callSucceeded, noConnection, noResponse, type StepCall, type StepCalls } from './step-calls.ts';

/** The least share of calls that succeed: below it, the app does not keep up. */
const minSucceeded = 0.99;
/** If the last calls take this many times as long as the first ones, and this much longer, they queue up. */
const growth = { factor: 2, ms: 100 };
const fewCalls = 8;

export type BenchStep = ReturnType<typeof summarizeStep>;
export type CallParts = NonNullable<BenchStep['parts']>;

/** Calls that were made at one rate. Times in ms, of calls that succeeded or got no response in time. */
export function summarizeStep(step: StepCalls, facts: AppFacts) {
  const { price } = facts;
  const { calls } = step;
  const at = quantilesOf(calls);
  const succeeded = calls.filter(callSucceeded).length;
  const records = calls.flatMap(({ record }) => record ?? []);
  const replicas = new Set(records.flatMap(({ replica }) => replica ?? []));
  const seconds = records.length > 0 ? replicaSeconds(step, records, facts) : Number.NaN;
  return {
    callsPerSecond: step.rate,
    calls: step.sent,
    succeeded,
    failures: failuresOf(step),
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    maxMs: at(1),
    parts: partsOf(calls),
    coldStarts: records.length > 0 ? records.filter(({ coldStartMs }) => coldStartMs > 0).length : null,
    replicas: replicas.size || null,
    centsPerThousand: nullIfNaN((1_000 * price * seconds) / succeeded),
    holds: keepsUp(step),
    localLimit: localLimitOf(step),
  };
}

/** Whether hardly a call fails, and calls do not take longer and longer. */
export function keepsUp({ calls }: StepCalls): boolean {
  if (calls.length === 0 || calls.filter(callSucceeded).length < minSucceeded * calls.length) return false;
  if (calls.length < fewCalls) return true;
  const third = Math.floor(calls.length / 3);
  const [first = 0, last = 0] = [calls.slice(0, third), calls.slice(-third)].map((some) => quantilesOf(some)(0.5) ?? 0);
  return last <= growth.factor * first || last - first <= growth.ms;
}

export function meanAppMs(steps: readonly BenchStep[]): number | undefined {
  const appTimes = steps.flatMap(({ parts, holds }) => (parts && holds ? [parts.appMs] : []));
  return appTimes.length > 0 ? appTimes.reduce((least, each) => Math.min(least, each)) : undefined;
}

/** Calls by the second in which they were due. */
export function secondsOf({ calls, startedAt }: StepCalls) {
  const bySecond = new Map<number, StepCall[]>();
  for (const call of calls) onceFor(bySecond, Math.floor(call.dueAt / 1_000), () => []).push(call);
  return [...bySecond].map(([second, some]) => {
    const at = quantilesOf(some);
    const failed = some.length - some.filter(callSucceeded).length;
    return { at: startedAt + second * 1_000, calls: some.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) };
  });
}

/** Quantiles of the durations of calls that succeeded or got no response in time: one that is refused at once is not fast. */
function quantilesOf(calls: readonly StepCall[]): (share: number) => number | null {
  const counted = calls.filter((call) => callSucceeded(call) || call.status === noResponse);
  const durations = Float64Array.from(counted, ({ durationMs }) => durationMs).sort();
  return (share) => quantile(durations, share);
}

function failuresOf({ calls, reasons }: StepCalls) {
  const failures = new Map(reasons);
  for (const call of calls) {
    if (callSucceeded(call) || call.status === noConnection) continue;
    const what = call.status === noResponse ? 'no response in time' : `HTTP ${call.status}`;
    failures.set(what, (failures.get(what) ?? 0) + 1);
  }
  return [...failures].map(([what, number]) => ({ what, calls: number })).sort((a, b) => b.calls - a.calls);
}

function partsOf(calls: readonly StepCall[]) {
  const sum = { meanMs: 0, localMs: 0, lineMs: 0, queueMs: 0, coldStartMs: 0, appMs: 0 };
  let number = 0;
  for (const call of calls) {
    const { record, durationMs, lateMs } = call;
    if (!record || !callSucceeded(call) || Number.isNaN(record.runtimeMs)) continue;
    const { runtimeMs, coldStartMs, queueMs } = record;
    number++;
    sum.meanMs += durationMs;
    sum.localMs += lateMs;
    sum.queueMs += queueMs;
    sum.coldStartMs += coldStartMs;
    sum.appMs += runtimeMs;
    sum.lineMs += durationMs - lateMs - queueMs - coldStartMs - runtimeMs;
  }
  if (number === 0) return null;
  return Object.fromEntries(Object.entries(sum).map(([name, ms]) => [name, ms / number])) as typeof sum;
}

/**
 * How long replicas were paid for in a step: from the start for its first call, until the cooldown after its last one; and
 * min_replicas all the time, whether they had calls or not.
 */
function replicaSeconds(
  step: StepCalls,
  records: readonly NonNullable<StepCall['record']>[],
  { cooldownSeconds, minReplicas }: AppFacts,
): number {
  const lives = new Map<string, { startedAt: number; to: number }>();
  let end = step.startedAt + step.dueAt(step.sent);
  for (const { replica, at, queueMs, coldStartMs, runtimeMs } of records) {
    if (replica === undefined || Number.isNaN(at + runtimeMs)) continue;
    const to = at + queueMs + coldStartMs + runtimeMs;
    // A replica without a cold start was there already.
    const life = lives.get(replica) ?? { startedAt: step.startedAt, to };
    const startedAt = coldStartMs > 0 ? at + queueMs : life.startedAt;
    lives.set(replica, { startedAt: Math.max(life.startedAt, startedAt), to: Math.max(life.to, to) });
    end = Math.max(end, to);
  }
  const lived = [...lives.values()].map(({ startedAt, to }) =>
    Math.max(0, Math.min(end, to + cooldownSeconds * 1_000) - startedAt),
  );
  const others = lived.sort((a, b) => b - a).slice(minReplicas);
  return others.reduce((sum, ms) => sum + ms, minReplicas * (end - step.startedAt)) / 1_000;
}

const limits = { busy: 0.9, lateMs: 10 };

function localLimitOf({ calls, busy }: StepCalls): string | null {
  const late = Float64Array.from(calls, ({ lateMs }) => lateMs).sort();
  const lateMs = quantile(late, 0.9) ?? 0;
  if (busy >= limits.busy) return `gantry used ${Math.round(100 * busy)} % of a processor here`;
  if (lateMs >= limits.lateMs) return `calls left this machine up to ${Math.round(lateMs)} ms late`;
  return null;
}
