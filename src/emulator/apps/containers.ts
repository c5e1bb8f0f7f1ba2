import { createHash } from 'node:crypto';
import type { Handlers } from '../platform.ts';
import { type Replica, replicasOf } from '../runs/replicas.ts';
import type { AppRecord } from '../state/records.ts';
import { rfc3339 } from '../time.ts';
import { findApp } from './find.ts';

export const containers: Pick<Handlers, 'listContainers'> = {
  listContainers(given, platform) {
    const app = findApp(platform.store, given);
    return replicasOf(app, platform).map((replica) => view(app, replica, platform.now()));
  },
};

/** A time that has not come yet is empty, as the platform writes it (wire §5). */
function view(app: AppRecord, { name, build, state, startedAt, endsAt }: Replica, now: number) {
  const past = (time: number) => (time <= now ? rfc3339(time) : '');
  return {
    ...{ containerId: name, containerState: state, isTerminating: false },
    ...{ appId: app.id, projectId: app.project, buildId: build, region: app.settings.region },
    ...{ hardwareProvider: app.settings.provider, hostIp: addressOf(name, 172), containerIp: addressOf(name, 10) },
    timestamp: rfc3339(now),
    containerStartTimestamp: past(startedAt),
    containerTerminationTimestamp: past(endsAt),
    containerRunningTimeMs: Math.max(0, Math.min(now, endsAt) - startedAt),
    containerRestartCount: 0,
  };
}

/** The same name has the same address. */
function addressOf(name: string, network: number): string {
  return [network, ...createHash('sha256').update(`${network} ${name}`).digest().subarray(0, 3)].join('.');
}
