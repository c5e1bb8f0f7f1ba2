import { buildPhase } from '../../../platform/contract/builds.ts';
import { getBuildProgress } from '../builds/build-progress.ts';
import { type AppRecord, type BilledSettings, type RunRecord, settingsAt } from '../state/records.ts';
import type { Model } from '../state/store.ts';
import { day, hour } from '../time.ts';
import { findRuns, getRunProgress, unassigned } from './record.ts';

/** Replicas that are running or ended within the last hour, newest first: real ones, and those that runs were made up for. */
export function listReplicas(app: AppRecord, real: readonly ReplicaPeriod[], model: Model): ReplicaPeriod[] {
  const now = model.now();
  // A call that was refused never had a replica.
  const names = new Set([unassigned(app), ...real.map(({ name }) => name)]);
  const derived = deriveReplicas(app, findRuns(app, { start: now - day, end: now }, model.store), model).filter(
    ({ startedAt, name }) => startedAt <= now && !names.has(name),
  );
  const recent = [...real, ...derived];
  const running = recent.filter(({ state, build }) => state !== 'SUCCEEDED' && build !== '').length;
  const lastHour = recent.filter(({ endsAt }) => endsAt > now - hour);
  return [...lastHour, ...idleReplicas(app, app.settings.minReplicaCount - running, model)].sort(
    (a, b) => b.startedAt - a.startedAt || (a.name < b.name ? -1 : 1),
  );
}

/**
 * Derives the replicas that served these runs: a replica starts for its first run, and ends after the cooldown without
 * another. Takes runs newest first, and returns replicas oldest first.
 */
export function deriveReplicas(app: AppRecord, runs: readonly RunRecord[], model: Model): ReplicaPeriod[] {
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

/** Replicas that run without calls because of `minReplicaCount`. */
function idleReplicas(app: AppRecord, number: number, model: Model): ReplicaPeriod[] {
  const [latest] = readyBuilds(app, model);
  if (!latest || number <= 0) return [];
  return Array.from({ length: number }, (_, index) => ({
    name: `${app.id}-${latest.id.slice(0, 8)}-${index}`,
    build: latest.id,
    state: 'RUNNING',
    startedAt: latest.since,
    readyAt: latest.since,
    endsAt: Number.POSITIVE_INFINITY,
  }));
}

/** When the first build was ready; infinite if none is. */
export function readySince(app: AppRecord, model: Model): number {
  return readyBuilds(app, model).at(-1)?.since ?? Number.POSITIVE_INFINITY;
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

/** The lifetime of a replica. Times in milliseconds since 1970. */
export interface ReplicaPeriod {
  name: string;
  build: string;
  state: 'PENDING' | 'RUNNING' | 'SUCCEEDED';
  /** The begin of its start, which is billed. */
  startedAt: number;
  /** When it could serve runs; infinite if that is not known yet. */
  readyAt: number;
  /** When it ended, or will end without further runs. */
  endsAt: number;
  /** How often its process was started again; only of replicas whose process runs here. */
  restarts?: number;
  isTerminating?: boolean;
  /** What it costs, if not what those of its app do. */
  billed?: BilledSettings;
}
