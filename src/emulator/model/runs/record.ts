import type { Platform } from '../../endpoints/platform.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';

/** Placeholder for a wait whose end is not known yet: longer than any run. */
const unknownMs = Number.MAX_SAFE_INTEGER / 4;

/** Records a run that waits for a replica. */
export function recordRun(
  run: Pick<
    RunRecord,
    'app' | 'functionName' | 'method' | 'async' | 'container' | 'webhookEndpoint' | 'websocket' | 'oneOff'
  >,
  { store, now }: Platform,
): RunRecord {
  return store.addRun({ ...run, createdAt: now(), proxyQueueMs: unknownMs, real: true });
}

/** Instead of a replica's name, for a run that has none yet. */
export function unassigned(app: AppRecord): string {
  return `${app.id}-starting`;
}

/** Every replica is busy: the run waits for one. */
export function markQueued(id: string, platform: Platform): void {
  updateRun(id, platform, ({ createdAt }, now) => ({ proxyQueueMs: now - createdAt, containerQueueMs: unknownMs }));
}

/** The run has a replica, which may still be starting. */
export function markAssigned(id: string, container: string, platform: Platform): void {
  updateRun(id, platform, () => ({ container }));
}

/** The replica is processing the run from now on. */
export function markStarted(id: string, coldstartMs: number, platform: Platform): void {
  updateRun(id, platform, (run, now) => {
    const proxyQueueMs = Math.min(run.proxyQueueMs, now - run.createdAt);
    return { coldstartMs, proxyQueueMs, containerQueueMs: now - run.createdAt - proxyQueueMs };
  });
  platform.store.save();
}

/** `statusCode` is an HTTP status, 0 if canceled, -1 if the caller disconnected. */
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

/** Ends the runs that were in progress when an earlier emulator stopped. */
export function endAbandonedRuns(platform: Platform): void {
  for (const run of platform.store.runs.values()) {
    if (run.real && run.runtimeMs === undefined) markEnded(run.id, 500, platform);
  }
}

function updateRun(
  id: string,
  { store, now }: Platform,
  changes: (run: RunRecord, now: number) => Partial<RunRecord>,
): void {
  const run = store.runs.get(id);
  // The app may have been deleted meanwhile.
  if (run) store.runs.set(id, { ...run, ...changes(run, now()) });
}
