import { buildPhase } from '../../../platform/contract/builds.ts';
import { getBuildProgress } from '../builds/script.ts';
import {
  type AppRecord,
  type ReplicaPeriod,
  type ReplicaRecord,
  type RunRecord,
  settingsAt,
} from '../state/records.ts';
import type { Model } from '../state/store.ts';
import { day, hour, minute, type TimeRange } from '../time.ts';
import { findRuns, getRunProgress, unassigned } from './record.ts';

/** Replicas that are running or ended within the last hour, newest first. One that failed to start is listed for a minute. */
export function listReplicas(app: AppRecord, model: Model): ReplicaPeriod[] {
  const now = model.now();
  const runs = findRuns(app, { start: now - day, end: now }, model);
  return replicaPeriods(app, runs, { start: 0, end: now }, model)
    .filter((replica) => replica.startedAt <= now && replica.endsAt > now - listedMs(replica))
    .sort((a, b) => b.startedAt - a.startedAt || (a.name < b.name ? -1 : 1));
}

/**
 * The replicas of an app in a range, for lists and for bills: those whose process ran here, those that served these runs,
 * newest first, which did not happen here, and those that `min_replicas` keeps of a build whose calls are
 * simulated.
 */
export function replicaPeriods(
  app: AppRecord,
  runs: readonly RunRecord[],
  range: TimeRange,
  model: Model,
): ReplicaPeriod[] {
  const ended = [...model.store.replicas.values()].filter((replica) => replica.app === app.id);
  const real = [...model.running(app), ...ended.map(endedPeriod)];
  // A call that was refused never had a replica.
  const names = new Set([unassigned, ...real.map(({ name }) => name)]);
  const served = deriveReplicas(
    app,
    runs.filter(({ container }) => !names.has(container)),
    model,
  );
  return [...real, ...served, ...keptReplicas(app, served, range, model)];
}

/** For how long one that has ended is listed. */
function listedMs({ isMadeUp, state }: ReplicaPeriod): number {
  if (isMadeUp) return 0;
  return state === 'Failed' ? minute : hour;
}

function endedPeriod(replica: ReplicaRecord): ReplicaPeriod {
  const state = replica.readyAt === null ? 'Failed' : 'SUCCEEDED';
  return { ...replica, readyAt: replica.readyAt ?? Number.POSITIVE_INFINITY, state };
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

/** Made up where fewer served than `min_replicas` keeps, of a build that does not run here. Another build or setting ends them. */
function keptReplicas(app: AppRecord, served: readonly ReplicaPeriod[], range: TimeRange, model: Model) {
  const { settings, earlier = [] } = app;
  if ([{ settings }, ...earlier].every((each) => !each.settings.minReplicaCount)) return [];
  const builds = readyBuilds(app, model);
  const ends = [...earlier.map(({ until }) => until), ...builds.map(({ since }) => since), range.end];
  const kept: ReplicaPeriod[] = [];
  let current: ReplicaPeriod[] = [];
  for (const { from, alive } of countServed(served, ends, range)) {
    const missing = missingAt(app, from, alive, builds);
    const stays = current[0]?.build === missing.build && current[0]?.billed === missing.billed;
    const before = stays ? current : [];
    for (const each of current.slice(stays ? missing.count : 0)) kept.push({ ...each, endsAt: from });
    current = Array.from({ length: missing.count }, (_, index) => before[index] ?? keptFrom(app, from, index, missing));
  }
  const now = model.now();
  return [...kept, ...current].map((replica) => ({ ...replica, state: stateOf(replica, now) }));
}

/** How many served, from each time on at which that changes, or something ends. */
function countServed(served: readonly ReplicaPeriod[], ends: readonly number[], range: TimeRange) {
  const changes = served
    .filter(({ build }) => build !== '')
    .flatMap(({ startedAt, endsAt }) => [
      { at: startedAt, by: 1 },
      { at: endsAt, by: -1 },
    ]);
  const borders = [...changes, ...ends.map((at) => ({ at, by: 0 }))].sort((a, b) => a.at - b.at);
  const before = borders.filter(({ at }) => at <= range.start);
  let alive = before.reduce((sum, { by }) => sum + by, 0);
  const counts = [{ from: range.start, alive }];
  for (const { at, by } of borders.slice(before.length)) {
    alive += by;
    if (at <= range.end) counts.push({ from: at, alive });
  }
  return counts;
}

/** How many replicas are made up at a time, and of what. */
function missingAt(app: AppRecord, time: number, alive: number, builds: ReturnType<typeof readyBuilds>) {
  const { id = '', isMadeUp = false } = builds.find(({ since }) => since <= time) ?? {};
  const billed = settingsAt(app, time);
  return { build: id, billed, count: isMadeUp ? Math.max(0, billed.minReplicaCount - alive) : 0 };
}

function keptFrom(
  app: AppRecord,
  startedAt: number,
  index: number,
  { build, billed }: ReturnType<typeof missingAt>,
): ReplicaPeriod {
  const name = `${app.id}-${build.slice(0, 8)}-${index}${(startedAt % day).toString(36)}`;
  const endsAt = Number.POSITIVE_INFINITY;
  return { name, build, billed, state: 'RUNNING', startedAt, readyAt: startedAt, endsAt, isMadeUp: true };
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
    const { status, changedAt, notStarted } = getBuildProgress(build, now());
    const runsHere = build.script.scenes.some(({ status: scene, work }) => scene === 'initializing' && work);
    const isMadeUp = !runsHere && notStarted?.calls !== 'refused';
    return buildPhase(status) === 'succeeded' ? [{ id: build.id, since: changedAt, isMadeUp }] : [];
  });
}
