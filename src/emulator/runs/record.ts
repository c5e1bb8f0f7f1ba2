import type { Platform } from '../platform.ts';
import type { RunRecord } from '../state/records.ts';

/** Longer than anybody waits: where a run is going to be next is not known before it is there. */
const unknownMs = Number.MAX_SAFE_INTEGER / 4;

/** Records a run that waits for a replica. */
export function recordRun(
  run: Pick<RunRecord, 'app' | 'functionName' | 'method' | 'async' | 'container'> & { webhookEndpoint?: string },
  { store, now }: Platform,
): RunRecord {
  return store.addRun({ ...run, createdAt: now(), proxyQueueMs: unknownMs, real: true });
}

/** Every replica is busy. */
export function markQueued(id: string, platform: Platform): void {
  updateRun(id, platform, ({ createdAt }, now) => ({ proxyQueueMs: now - createdAt, containerQueueMs: unknownMs }));
}

/** It has its replica, which may have to be started first. */
export function markAssigned(id: string, container: string, platform: Platform): void {
  updateRun(id, platform, () => ({ container }));
}

/** It is worked on from now. */
export function markStarted(id: string, coldstartMs: number, platform: Platform): void {
  updateRun(id, platform, (run, now) => {
    const proxyQueueMs = Math.min(run.proxyQueueMs, now - run.createdAt);
    return { coldstartMs, proxyQueueMs, containerQueueMs: now - run.createdAt - proxyQueueMs };
  });
  platform.store.save();
}

/** It has ended, with an HTTP status, or 0 cancelled, or -1 closed by its caller. */
export function markEnded(id: string, statusCode: number, platform: Platform, more: Partial<RunRecord> = {}): void {
  updateRun(id, platform, (run, now) => {
    if (run.runtimeMs !== undefined) return {};
    const waited = now - run.createdAt;
    const proxyQueueMs = Math.min(run.proxyQueueMs, waited);
    const containerQueueMs = Math.min(run.containerQueueMs, waited - proxyQueueMs);
    return { proxyQueueMs, containerQueueMs, runtimeMs: waited - proxyQueueMs - containerQueueMs, statusCode, ...more };
  });
  platform.store.save();
}

/** Runs that an earlier emulator was working on when it ended: nobody goes on with them. */
export function endAbandonedRuns(platform: Platform): void {
  for (const run of platform.store.runs.values()) {
    if (run.real && run.runtimeMs === undefined) markEnded(run.id, 500, platform);
  }
}

function updateRun(
  id: string,
  { store, now }: Platform,
  to: (run: RunRecord, now: number) => Partial<RunRecord>,
): void {
  const run = store.runs.get(id);
  // Its app may have been deleted meanwhile.
  if (run) store.runs.set(id, { ...run, ...to(run, now()) });
}
