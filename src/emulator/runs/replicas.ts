import { buildPhase } from '../../contract/builds.ts';
import { readBuild } from '../builds/build-status.ts';
import type { Platform } from '../platform.ts';
import type { AppRecord, RunRecord } from '../state/records.ts';
import { day, hour } from '../time.ts';
import { runsOf } from './find.ts';
import { readRun } from './run-status.ts';

/** A replica as the clock has it. Milliseconds since 1970. */
export interface Replica {
  name: string;
  /** Id of the build it runs. */
  build: string;
  state: 'PENDING' | 'RUNNING' | 'SUCCEEDED';
  /** When its start began: that is paid for, too. */
  bornAt: number;
  /** When it was up. */
  startedAt: number;
  /** When it ends, or would if nothing more came in. */
  endsAt: number;
}

/** Replicas that are up, and those that ended within the last hour; newest first. */
export function replicasOf(app: AppRecord, platform: Platform): Replica[] {
  const now = platform.now();
  const used = replicasThrough(app, runsOf(app, { start: now - day, end: now }, platform.store), platform).filter(
    ({ bornAt }) => bornAt <= now,
  );
  const up = used.filter(({ state }) => state !== 'SUCCEEDED').length;
  const lately = used.filter(({ endsAt }) => endsAt > now - hour);
  return [...lately, ...idleReplicas(app, app.settings.minReplicaCount - up, platform)].sort(
    (a, b) => b.bornAt - a.bornAt || (a.name < b.name ? -1 : 1),
  );
}

/**
 * The replicas that served these runs, which come newest first; the replicas oldest first. They are read from these runs: a replica starts for
 * its first, and ends when it had nothing to do for the cooldown.
 */
export function replicasThrough(app: AppRecord, runs: readonly RunRecord[], platform: Platform): Replica[] {
  if (runs.length === 0) return [];
  const now = platform.now();
  const cooldownMs = app.settings.cooldownPeriodSeconds * 1000;
  const builds = readyBuilds(app, platform);
  const replicas: Replica[] = [];
  const latest = new Map<string, Replica>();
  for (const run of runs.toReversed()) {
    const endsAt = (readRun(run, now).endedAt ?? now) + cooldownMs;
    const replica = latest.get(run.container);
    if (replica && run.createdAt <= replica.endsAt) {
      replica.endsAt = Math.max(replica.endsAt, endsAt);
      continue;
    }
    const started = startedFor(run, endsAt, builds);
    latest.set(run.container, started);
    replicas.push(started);
  }
  return replicas.map((replica) => ({ ...replica, state: stateOf(replica, now) }));
}

/** The least number of replicas is up even while nobody calls. */
function idleReplicas(app: AppRecord, number: number, platform: Platform): Replica[] {
  const [latest] = readyBuilds(app, platform);
  if (!latest || number <= 0) return [];
  return Array.from({ length: number }, (_, index) => ({
    ...{ name: `${app.id}-${latest.id.slice(0, 8)}-${index}`, build: latest.id, state: 'RUNNING' },
    ...{ bornAt: latest.since, startedAt: latest.since, endsAt: Number.POSITIVE_INFINITY },
  }));
}

function startedFor(run: RunRecord, endsAt: number, builds: readonly ReadyBuild[]): Replica {
  const bornAt = run.createdAt + run.pendingMs;
  const build = builds.find(({ since }) => since <= bornAt) ?? builds.at(-1);
  const startedAt = bornAt + run.coldstartMs;
  return {
    name: run.container,
    build: build?.id ?? '',
    state: 'RUNNING',
    bornAt,
    startedAt,
    endsAt: Math.max(startedAt, endsAt),
  };
}

function stateOf({ startedAt, endsAt }: Replica, now: number): Replica['state'] {
  if (now < startedAt) return 'PENDING';
  return now < endsAt ? 'RUNNING' : 'SUCCEEDED';
}

interface ReadyBuild {
  id: string;
  since: number;
}

/** Newest first. */
function readyBuilds(app: AppRecord, { store, now }: Platform): ReadyBuild[] {
  return store.buildsOf(app.id).flatMap((build) => {
    const { status, changedAt } = readBuild(build, now());
    return buildPhase(status) === 'succeeded' ? [{ id: build.id, since: changedAt }] : [];
  });
}
