import { outcomeWords, runOutcome } from '../../../platform/contract/run-outcome.ts';
import type { RunStatus } from '../../../platform/contract/runs.ts';
import type { RunRecord } from '../state/records.ts';

/** A run at a point in time. Values that are not known yet are absent. */
export interface RunProgress {
  status: RunStatus;
  /** 0 is canceled, -1 is closed by the caller (docs/platform.md#runs). */
  statusCode?: number;
  coldstartMs: number;
  /** The wait so far. */
  queueMs: number;
  runtimeMs?: number;
  responseMs?: number;
  startedAt?: number;
  endedAt?: number;
  changedAt: number;
}

/** Computes a run's status from its record and the clock. */
export function getRunProgress(run: RunRecord, now: number): RunProgress {
  const until = Math.min(now, run.cancelledAt ?? now);
  const progress = progressAt(run, until);
  if (run.cancelledAt === undefined || run.cancelledAt > now || progress.endedAt !== undefined) return progress;
  const runtimeMs = progress.startedAt === undefined ? 0 : until - progress.startedAt;
  const ended = { runtimeMs, responseMs: until - run.createdAt, endedAt: until, changedAt: until };
  return { ...progress, ...ended, status: 'cancelled', statusCode: 0 };
}

// Called thousands of times for a chart: literals are several times as fast as spreads.
function progressAt(run: RunRecord, now: number): RunProgress {
  const { createdAt, coldstartMs, runtimeMs } = run;
  const proxyAt = createdAt + run.pendingMs;
  const containerAt = proxyAt + run.proxyQueueMs;
  const startedAt = containerAt + run.containerQueueMs;
  const queueMs = Math.max(0, Math.min(now, startedAt) - createdAt);
  if (now < proxyAt) return { status: 'pending', coldstartMs: 0, queueMs, changedAt: createdAt };
  if (now < containerAt) return { status: 'proxyQueued', coldstartMs: 0, queueMs, changedAt: proxyAt };
  if (now < startedAt) return { status: 'containerQueued', coldstartMs, queueMs, changedAt: containerAt };
  if (runtimeMs === undefined || now < startedAt + runtimeMs) {
    return { status: 'processing', coldstartMs, queueMs, startedAt, changedAt: startedAt };
  }
  const endedAt = startedAt + runtimeMs;
  const { statusCode = 200 } = run;
  const status = statusOf(statusCode);
  const responseMs = endedAt - createdAt;
  return { status, statusCode, coldstartMs, queueMs, runtimeMs, responseMs, startedAt, endedAt, changedAt: endedAt };
}

function statusOf(statusCode: number): RunStatus {
  const outcome = runOutcome({ statusCode });
  return outcome === 'in progress' || outcome === 'unknown' ? 'failure' : outcomeWords[outcome];
}
