import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../endpoints/platform.ts';
import type { PlatformClock } from '../model/platform-clock.ts';
import { endAbandonedRuns } from '../model/runs/record.ts';
import { DataFolderHasStateError, stateFile } from '../model/state/data-folder.ts';
import { readState } from '../model/state/store.ts';
import { endAbandonedBuilds } from '../running/builds/perform-build.ts';
import { prepareTakeover, readManifest, takeOver, writeSnapshot } from '../running/snapshots.ts';

/** Writes apps, builds, runs, logs, volumes and the clock to a new folder. */
export function saveState(snapshot: string, platform: Platform): Promise<void> {
  return platform.changes.run(() => writeSnapshot(snapshot, platform));
}

/** Before the state of a folder is read: replaces it by a snapshot, or completes that if an emulator was killed meanwhile. */
export async function startFrom(snapshot: string | undefined, folder: string, clock: PlatformClock): Promise<void> {
  const removeReplaced = takeOver(folder);
  if (snapshot !== undefined) {
    if (existsSync(join(folder, stateFile))) throw new DataFolderHasStateError(folder);
    clock.set(readManifest(snapshot).advancedMs);
    await prepareTakeover(snapshot, folder);
    takeOver(folder);
  }
  await removeReplaced();
}

/**
 * Replaces the state by that of a snapshot. Calls are aborted and replicas end; faults, recorded requests and deliveries are
 * forgotten; tokens stay valid. Rejects before anything has changed if the snapshot cannot be read.
 */
export function restoreState(snapshot: string, platform: Platform): Promise<void> {
  const { folder, store, volumes, runner, clock } = platform;
  return platform.changes.run(async () => {
    const { advancedMs } = readManifest(snapshot);
    const state = readState(join(snapshot, stateFile));
    await prepareTakeover(snapshot, folder);
    await runner.stop();
    const removeReplaced = takeOver(folder);
    clock.set(advancedMs);
    if (state) store.replace(state);
    volumes.clear();
    runner.logs.restore(join(folder, 'logs'));
    runner.usage.clear();
    forgetRecords(platform);
    endAbandonedRuns(platform);
    endAbandonedBuilds(platform);
    runner.runInBackground(removeReplaced());
  });
}

/** What is not part of the state: faults, and what was received and delivered. */
export function forgetRecords({ faults, calls, inspected, deliveries, captured }: Platform): void {
  faults.clear();
  inspected.clear();
  calls.length = 0;
  deliveries.length = 0;
  captured.length = 0;
}
