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

/** Times in the future are null: clients that parse times reject an empty text. */
function view(app: AppRecord, replica: ReplicaPeriod, now: number) {
  const { name, build, state, readyAt, endsAt, restarts = 0, isTerminating = false } = replica;
  const past = (time: number) => (time <= now ? formatTime(time) : null);
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
    timestamp: formatTime(now),
    containerStartTimestamp: past(readyAt),
    containerTerminationTimestamp: past(endsAt),
    containerRunningTimeMs: Math.max(0, Math.min(now, endsAt) - readyAt),
    containerRestartCount: restarts,
  };
}

/** A made-up address, derived from the name. */
function addressOf(name: string, network: number): string {
  return [network, ...createHash('sha256').update(`${network} ${name}`).digest().subarray(0, 3)].join('.');
}
