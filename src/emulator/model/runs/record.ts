import { outcomeWords, runOutcome } from '../../../platform/contract/run-outcome.ts';
import type { RunStatus } from '../../../platform/contract/runs.ts';
import { refuse } from '../../http/reply.ts';
import { findGeneratedRun, generateRuns } from '../seed/traffic.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';
import type { Model, Store } from '../state/store.ts';
import type { TimeRange } from '../time.ts';

/** Placeholder for a wait whose end is not known yet: longer than any run. */
const unknownMs = Number.MAX_SAFE_INTEGER / 4;

/** Records a run that waits for a replica. */
export function recordRun(run: Partial<RunRecord> & Pick<RunRecord, 'app'>, { store, now }: Model): RunRecord {
  return store.addRun({ ...run, createdAt: now(), proxyQueueMs: unknownMs, real: true });
}

/** Instead of a replica's name: a run that waits for one has none, and one that is refused never gets one. */
export const unassigned = '';

/** Every replica is busy: the run waits for one. */
export function markQueued(id: string, model: Model): void {
  updateRun(id, model, ({ createdAt }, now) => ({ proxyQueueMs: now - createdAt, containerQueueMs: unknownMs }));
}

/** The run has a replica, which may still be starting. */
export function markAssigned(id: string, container: string, model: Model): void {
  updateRun(id, model, () => ({ container }));
}

/** The replica is processing the run from now on. */
export function markStarted(id: string, coldstartMs: number, model: Model): void {
  updateRun(id, model, (run, now) => {
    const proxyQueueMs = Math.min(run.proxyQueueMs, now - run.createdAt);
    return { coldstartMs, proxyQueueMs, containerQueueMs: now - run.createdAt - proxyQueueMs };
  });
  model.store.saveSoon();
}

/** `statusCode` is an HTTP status, 0 if canceled, -1 if the caller disconnected. */
export function markEnded(id: string, statusCode: number, model: Model, more: Partial<RunRecord> = {}): void {
  updateRun(id, model, (run, now) => {
    if (run.runtimeMs !== undefined) return {};
    const waited = now - run.createdAt;
    const proxyQueueMs = Math.min(run.proxyQueueMs, waited);
    const containerQueueMs = Math.min(run.containerQueueMs, waited - proxyQueueMs);
    return { proxyQueueMs, containerQueueMs, runtimeMs: waited - proxyQueueMs - containerQueueMs, statusCode, ...more };
  });
  model.store.saveSoon();
}

/** What became of the delivery of its response. */
export function markDelivery(id: string, webhookDelivery: string, model: Model): void {
  updateRun(id, model, () => ({ webhookDelivery }));
  model.store.saveSoon();
}

/** Ends the runs that were in progress when an earlier emulator stopped. */
export function endAbandonedRuns(model: Model): void {
  for (const run of model.store.runs.values()) {
    if (run.real && run.runtimeMs === undefined) markEnded(run.id, 500, model);
  }
}

function updateRun(
  id: string,
  { store, now }: Model,
  changes: (run: RunRecord, now: number) => Partial<RunRecord>,
): void {
  const run = store.runs.get(id);
  // The app may have been deleted meanwhile.
  if (run) store.runs.set(id, { ...run, ...changes(run, now()) });
}

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

/** Recorded and generated runs of an app that were created in a range, and not later than now, newest first. */
export function findRuns(app: AppRecord, range: TimeRange, { store: { runs }, now }: Model): RunRecord[] {
  const { start } = range;
  const end = Math.min(range.end, now());
  const recorded = [...runs.values()].filter(
    (run) => run.app === app.id && run.createdAt >= start && run.createdAt <= end,
  );
  // A generated run that was changed is recorded.
  const generated = generateRuns(app, { start, end }).filter((run) => !runs.has(run.id));
  return recorded.length === 0 ? generated : [...recorded, ...generated].sort(compareNewestFirst);
}

/** Refuses with 404 if the app has no run with this id, or will only have it later. */
export function findRun(app: AppRecord, id: string, { runs }: Store, now: number): RunRecord {
  const run = runs.get(id) ?? findGeneratedRun(app, id);
  return run?.app === app.id && run.createdAt <= now ? run : refuse(404, `run ${id} not found`);
}

export type RunPosition = Pick<RunRecord, 'createdAt' | 'id'>;

export function compareNewestFirst(a: RunPosition, b: RunPosition): number {
  return b.createdAt - a.createdAt || Number(a.id < b.id) - Number(a.id > b.id);
}
