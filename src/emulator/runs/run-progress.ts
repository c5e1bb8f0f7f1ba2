import type { RunStatus } from '../../contract/runs.ts';
import type { RunRecord } from '../state/records.ts';

/** A run as the clock has it. What is not known yet is absent. */
export interface RunProgress {
  status: RunStatus;
  /** 0 is canceled, -1 is closed by the caller (docs/platform.md#runs). */
  statusCode?: number;
  /** Milliseconds, as all here. */
  coldstartMs: number;
  /** Waited so far. */
  queueMs: number;
  runtimeMs?: number;
  responseMs?: number;
  startedAt?: number;
  endedAt?: number;
  changedAt: number;
}

/** Reads where a run stands: it waits, is worked on, ends. Nothing has to be woken up to move it on. */
export function getRunProgress(run: RunRecord, now: number): RunProgress {
  const until = Math.min(now, run.cancelledAt ?? now);
  const reading = progressAt(run, until);
  if (run.cancelledAt === undefined || run.cancelledAt > now || reading.endedAt !== undefined) return reading;
  const runtimeMs = reading.startedAt === undefined ? 0 : until - reading.startedAt;
  const ended = { runtimeMs, responseMs: until - run.createdAt, endedAt: until, changedAt: until };
  return { ...reading, ...ended, status: 'cancelled', statusCode: 0 };
}

// Read by the thousand for a chart: literals, which are several times as fast as spreads.
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
  if (statusCode === 0) return 'cancelled';
  return statusCode >= 200 && statusCode < 400 ? 'success' : 'failure';
}
