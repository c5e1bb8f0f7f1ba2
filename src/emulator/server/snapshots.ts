import { constants, existsSync, readFileSync } from 'node:fs';
import { cp, lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { entriesIn } from '../../kernel/disk/index.ts';
import { keepReplicas } from '../endpoints/builds/handlers.ts';
import type { Platform } from '../endpoints/platform.ts';
import { endAbandonedRuns } from '../model/runs/record.ts';
import { DamagedDataError, stateFile } from '../model/state/data-folder.ts';
import { readState } from '../model/state/store.ts';
import { endAbandonedBuilds } from '../running/builds/perform-build.ts';
import { partsFolder } from '../running/volumes/volume-store.ts';

/** Writes apps, builds, runs, logs, volumes and the clock to a new folder. */
export function saveState(snapshot: string, platform: Platform): Promise<void> {
  return platform.changes.run(() => writeSnapshot(snapshot, platform));
}

/**
 * Replaces the state by that of a snapshot. Calls are aborted and replicas end; faults, recorded requests and deliveries are
 * forgotten; tokens stay valid. Rejects before anything has changed if the snapshot cannot be read.
 */
export function restoreState(snapshot: string, platform: Platform): Promise<void> {
  const { folder, store, volumes, runner, clock } = platform;
  return platform.changes.run(async () => {
    const advancedMs = readAdvance(snapshot);
    const state = readState(join(snapshot, stateFile));
    const copy = await mkdtemp(join(folder, 'restored-'));
    try {
      await copyTree(snapshot, copy);
      await runner.stop();
      for (const name of [stateFile, 'logs', 'storage']) {
        await rm(join(folder, name), { recursive: true, force: true });
        await rename(join(copy, name), join(folder, name));
      }
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
    clock.set(advancedMs);
    if (state) store.replace(state);
    volumes.clear();
    runner.logs.restore(join(folder, 'logs'));
    runner.usage.clear();
    forgetRecords(platform);
    endAbandonedRuns(platform);
    endAbandonedBuilds(platform);
    runner.runInBackground(keepReplicas(store.apps.values(), platform));
  });
}

/** What is not part of the state: faults, and what was received and delivered. */
export function forgetRecords({ faults, calls, captured }: Platform): void {
  faults.clear();
  calls.length = 0;
  captured.length = 0;
}

/**
 * Writes the state to a new folder, which looks like a data folder: texts of one moment, and copies of archives and
 * volumes, without uploads in progress. Leaves no folder if it fails.
 */
async function writeSnapshot(target: string, { store, runner, storage, clock }: Platform): Promise<void> {
  const { advancedMs } = clock;
  const texts = [
    [stateFile, store.serialize()],
    ...[...store.apps.keys()].map((app) => {
      const [name, content] = runner.logs.serialize(app);
      return [join('logs', name), content] as const;
    }),
  ] as const;
  await mkdir(target, { mode: 0o700 });
  try {
    for (const folder of ['logs', 'storage']) await mkdir(join(target, folder), { mode: 0o700 });
    for (const [name, content] of texts) await writeFile(join(target, name), content, { mode: 0o600 });
    for (const { name } of entriesIn(storage))
      if (name !== partsFolder) await copyTree(join(storage, name), join(target, 'storage', name));
    await writeFile(join(target, manifestFile), JSON.stringify({ advancedMs }), { mode: 0o600 });
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

/** Blocks are shared where the file system can. Pipes and sockets of apps are skipped. */
async function copyTree(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const isCopied = async (path: string) => {
    const stats = await lstat(path);
    return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
  };
  const how = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter: isCopied };
  await cp(from, to, { ...how, mode: constants.COPYFILE_FICLONE });
}

/** Written last: a folder without it is not a snapshot. */
const manifestFile = 'snapshot.json';

const Manifest = v.object({ advancedMs: v.pipe(v.number(), v.minValue(0)) });

/** How far the clock was ahead. Throws a `DamagedDataError` for a folder that is not a snapshot. */
function readAdvance(snapshot: string): number {
  const file = join(snapshot, manifestFile);
  try {
    return v.parse(Manifest, JSON.parse(readFileSync(file, 'utf8'))).advancedMs;
  } catch (error) {
    throw new DamagedDataError(file, (error as Error).message, error);
  }
}
