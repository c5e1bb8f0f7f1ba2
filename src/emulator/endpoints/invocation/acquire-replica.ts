import { markAssigned, markQueued, markStarted } from '../../model/runs/record.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import { raceAbort } from '../../running/replicas/replica.ts';
import type { ReplicaSlot } from '../../running/replicas/replica-pool.ts';
import { findReadyBuild } from '../builds/handlers.ts';
import type { Platform } from '../platform.ts';
import { AppStartError } from './route-call.ts';

interface ReplicaRequest {
  app: AppRecord;
  build: BuildRecord;
  run: string;
  /** The call is a WebSocket: the slot is held until it closes. */
  isSocket?: boolean;
  signal: AbortSignal;
}

/**
 * Capacity of a ready replica for one call. Starts a replica or waits for one, and records both for the run. Rejects with
 * an `AppStartError`, or with the signal's reason.
 */
export async function acquireReplica(first: ReplicaRequest, platform: Platform): Promise<ReplicaSlot> {
  const { run, signal } = first;
  let request = first;
  let slot = await acquireSlot(request, platform);
  while (!slot) {
    request = toNewerBuild(request, platform);
    slot = await acquireSlot(request, platform);
  }
  try {
    const assignedAt = platform.now();
    markAssigned(run, slot.name, platform);
    await raceAbort(slot.replica.ready.catch(throwStartError), signal);
    markStarted(run, slot.wasReady ? 0 : platform.now() - assignedAt, platform);
    return slot;
  } catch (error) {
    slot.release();
    if (error instanceof AppStartError) logStartError(error, request, slot.name, platform);
    throw error;
  }
}

/** Undefined if the app has a newer build by then. */
async function acquireSlot(request: ReplicaRequest, platform: Platform): Promise<ReplicaSlot | undefined> {
  const { app, build, run, isSocket = false, signal } = request;
  const { runner } = platform;
  const isReplaced = () => newestBuild(request, platform).id !== build.id;
  const onQueued = () => markQueued(run, platform);
  const release = runner.unpacked.use(build);
  try {
    const python = await runner.prepare(build).catch(throwStartError);
    return await runner.getPool(app.id).acquire({ app, build, python, run, isSocket, signal, isReplaced, onQueued });
  } finally {
    release();
  }
}

/** The request for the newer build of the app, which has other settings. */
function toNewerBuild(request: ReplicaRequest, platform: Platform): ReplicaRequest {
  const { app, build } = request;
  const newer = newestBuild(request, platform);
  // What is known of the call is for the runtime that it came for.
  if (newer.settings.runtime !== build.settings.runtime) {
    throw new AppStartError(`app ${app.name} got another runtime while the call waited: call it again`);
  }
  return { ...request, app: platform.store.apps.get(app.id) ?? app, build: newer };
}

/** That of the request if the app was deleted meanwhile. */
function newestBuild({ app, build }: ReplicaRequest, platform: Platform): BuildRecord {
  return findReadyBuild(app, platform) ?? build;
}

/** What a replica prints while it starts belongs to no run: so that the log of this run is not empty. */
function logStartError(
  { message }: Error,
  { app, run }: ReplicaRequest,
  container: string,
  { runner }: Platform,
): void {
  // The exception has a line of its own, as in the log of a build.
  for (const text of `error: ${message}`.split(/(?<=start:) /)) {
    runner.logs.add(app.id, { container, stream: 'stderr', text, run });
  }
}

function throwStartError({ message }: Error): never {
  throw new AppStartError(`the app failed to start: ${message}`);
}
