import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requirementsOf } from '../../model/builds/requirements.ts';
import { markAssigned, markQueued, markStarted } from '../../model/runs/record.ts';
import type { AppRecord, BuildRecord } from '../../model/state/records.ts';
import { raceAbort } from '../../running/replicas/race-abort.ts';
import type { ReplicaSlot } from '../../running/replicas/replica-pool.ts';
import type { Platform } from '../platform.ts';
import { AppStartError } from './call-errors.ts';

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
export async function acquireReplica(request: ReplicaRequest, platform: Platform): Promise<ReplicaSlot> {
  const { app, build, run, isSocket = false, signal } = request;
  const { runner } = platform;
  const onQueued = () => markQueued(run, platform);
  const release = runner.unpacked.use(build);
  const acquire = async () => {
    const folder = await runner.unpacked.unpack(build).catch((error) => throwStartError(error));
    const requirements = runner.installsPackages ? await readRequirements(build, folder) : '';
    const python = (await runner.pythonFor(build.settings, requirements).catch(throwStartError))?.path ?? '';
    return runner.getPool(app.id).acquire({ app, build, python, run, isSocket, signal, onQueued });
  };
  const slot = await acquire().finally(release);
  try {
    const assignedAt = platform.now();
    markAssigned(run, slot.name, platform);
    await raceAbort(
      slot.replica.ready.catch((error) => throwStartError(error, runner.installsPackages)),
      signal,
    );
    markStarted(run, slot.wasReady ? 0 : platform.now() - assignedAt, platform);
    return slot;
  } catch (error) {
    slot.release();
    if (error instanceof AppStartError) logStartError(error, request, slot.name, platform);
    throw error;
  }
}

async function readRequirements({ settings }: BuildRecord, folder: string): Promise<string> {
  const listed = await readFile(join(folder, 'requirements.txt'), 'utf8').catch(() => '');
  return requirementsOf(settings, new Map([['requirements.txt', listed]]));
}

/** What a replica prints while it starts belongs to no run: so that the log of this run is not empty. */
function logStartError(
  { message }: Error,
  { app, run }: ReplicaRequest,
  container: string,
  { runner }: Platform,
): void {
  runner.logs.add(app.id, { container, stream: 'stderr', text: `error: ${message}`, run });
}

function throwStartError({ message }: Error, installs = true): never {
  const isMissing = /^ModuleNotFoundError/.test(message) && !installs;
  const hint = isMissing ? '; pass --install to install dependencies' : '';
  throw new AppStartError(`the app failed to start: ${message}${hint}`);
}
