import { createHash } from 'node:crypto';
import type { ReplicaPeriod } from '../../model/runs/replica-period.ts';
import { listReplicas } from '../../model/runs/replica-periods.ts';
import { findApp } from '../../model/state/find-app.ts';
import type { AppRecord } from '../../model/state/records.ts';
import { formatTime } from '../../model/time.ts';
import type { Handlers } from '../platform.ts';

export const containerHandlers: Pick<Handlers, 'listContainers'> = {
  listContainers(params, platform) {
    const app = findApp(platform.store, params);
    const running = platform.runner.getPool(app.id).list(app);
    return listReplicas(app, running, platform).map((replica) => view(app, replica, platform.now()));
  },
};

/**
 * For how long one that has ended is still listed as it was before, in ms: the platform takes as long to see it. Nothing of
 * it moves any more.
 */
const unseenMs = 3_000;

/** Times in the future are null: clients that parse times reject an empty text. */
function view(app: AppRecord, replica: ReplicaPeriod, now: number) {
  const { name, build, readyAt, endsAt, restarts = 0, isTerminating = false } = replica;
  const isUnseen = replica.state === 'SUCCEEDED' && endsAt > readyAt && now - endsAt < unseenMs;
  const state = isUnseen ? 'RUNNING' : replica.state;
  // What is listed is what was seen then.
  const seenAt = isUnseen ? endsAt - 1 : now;
  const past = (time: number) => (time <= seenAt ? formatTime(time) : null);
  return {
    containerId: name,
    containerState: state,
    isTerminating,
    appId: app.id,
    projectId: app.project,
    buildId: build,
    region: app.settings.region,
    hardwareProvider: app.settings.provider,
    hostIp: addressOf(name, 172),
    containerIp: addressOf(name, 10),
    timestamp: formatTime(seenAt),
    containerStartTimestamp: past(readyAt),
    containerTerminationTimestamp: past(endsAt),
    containerRunningTimeMs: Math.max(0, Math.min(seenAt, endsAt) - readyAt),
    containerRestartCount: restarts,
  };
}

/** A made-up address, derived from the name. */
function addressOf(name: string, network: number): string {
  return [network, ...createHash('sha256').update(`${network} ${name}`).digest().subarray(0, 3)].join('.');
}
