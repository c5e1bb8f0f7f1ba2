import { buildPhase } from '../../../platform/contract/builds.ts';
import { getBuildProgress } from '../builds/build-progress.ts';
import { type AppRecord, type ReplicaPeriod, type RunRecord, settingsAt } from '../state/records.ts';
import type { Model } from '../state/store.ts';
import { day, hour } from '../time.ts';
import { findRuns, getRunProgress, unassigned } from './record.ts';

/** Replicas that are running or ended within the last hour, newest first. */
export function listReplicas(app: AppRecord, model: Model): ReplicaPeriod[] {
  const now = model.now();
  const runs = findRuns(app, { start: now - day, end: now }, model);
  return replicaPeriods(app, runs, model)
    .filter(({ startedAt, endsAt }) => startedAt <= now && endsAt > now - hour)
    .sort((a, b) => b.startedAt - a.startedAt || (a.name < b.name ? -1 : 1));
}

/**
 * The replicas of an app, for lists and for bills: those whose process ran here, and those that served these runs, newest
 * first, which did not happen here.
 */
export function replicaPeriods(app: AppRecord, runs: readonly RunRecord[], model: Model): ReplicaPeriod[] {
  const ended = [...model.store.replicas.values()].filter((replica) => replica.app === app.id);
  const real = [...model.running(app), ...ended.map((replica) => ({ ...replica, state: 'SUCCEEDED' as const }))];
  // A call that was refused never had a replica.
  const known = new Set([unassigned(app), ...real.map(({ name }) => name)]);
  const unknown = runs.filter(({ container }) => !known.has(container));
  return [...real, ...deriveReplicas(app, unknown, model)];
}

/**
 * Derives the replicas that served these runs: a replica starts for its first run, and ends after the cooldown without
 * another. Takes runs newest first, and returns replicas oldest first.
 */
function deriveReplicas(app: AppRecord, runs: readonly RunRecord[], model: Model): ReplicaPeriod[] {
  if (runs.length === 0) return [];
  const now = model.now();
  const builds = readyBuilds(app, model);
  const replicas: ReplicaPeriod[] = [];
  const latest = new Map<string, ReplicaPeriod>();
  for (const run of runs.toReversed()) {
    const endedAt = getRunProgress(run, now).endedAt ?? now;
    // The container of a run of a file is kept for no other.
    const endsAt = endedAt + (run.oneOff ? 0 : settingsAt(app, endedAt).cooldownPeriodSeconds * 1000);
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

function startedFor(run: RunRecord, endsAt: number, builds: ReturnType<typeof readyBuilds>): ReplicaPeriod {
  const startedAt = run.createdAt + run.pendingMs;
  const build = builds.find(({ since }) => since <= startedAt) ?? builds.at(-1);
  const readyAt = startedAt + run.coldstartMs;
  return {
    name: run.container,
    // A run of a file runs in a base image, not in a build.
    build: run.oneOff ? '' : (build?.id ?? ''),
    state: 'RUNNING',
    startedAt,
    readyAt,
    endsAt: Math.max(readyAt, endsAt),
    ...(run.billed && { billed: run.billed }),
  };
}

function stateOf({ readyAt, endsAt }: ReplicaPeriod, now: number): ReplicaPeriod['state'] {
  if (now < readyAt) return 'PENDING';
  return now < endsAt ? 'RUNNING' : 'SUCCEEDED';
}

/** Newest first. */
function readyBuilds(app: AppRecord, { store, now }: Model) {
  return store.getAppBuilds(app.id).flatMap((build) => {
    const { status, changedAt } = getBuildProgress(build, now());
    return buildPhase(status) === 'succeeded' ? [{ id: build.id, since: changedAt }] : [];
  });
}
