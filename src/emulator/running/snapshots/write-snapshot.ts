import { constants, existsSync } from 'node:fs';
import { cp, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { linkOrCopy } from '../../../kernel/disk/index.ts';
import type { PlatformClock } from '../../model/platform-clock.ts';
import { stateFile } from '../../model/state/data-folder.ts';
import type { Running } from '../running.ts';
import { journalFile, mountedFolder, partsFolder, type VolumeStore } from '../volumes/volume-store.ts';
import { manifestFile, type SnapshotManifest } from './manifest.ts';

/** What a snapshot is made of. */
export interface SnapshotSource extends Running {
  readonly storage: string;
  readonly volumes: VolumeStore;
  readonly clock: PlatformClock;
}

/**
 * Writes the state to a new folder, which looks like a data folder: texts of one moment, links to archives and uploaded
 * parts, which never change, and copies of the files that apps can change. Leaves no folder if it fails.
 */
export async function writeSnapshot(target: string, source: SnapshotSource): Promise<void> {
  const { store, volumes, runner, storage, clock } = source;
  const manifest: SnapshotManifest = { version: 1, advancedMs: clock.advancedMs };
  const texts = [
    [stateFile, store.serialize()],
    [journalFile, volumes.serialize()],
    ...[...store.apps.keys()].map((app) => {
      const [name, content] = runner.logs.serialize(app);
      return [join('logs', name), content] as const;
    }),
  ] as const;
  const archives = [...store.builds.values()].map(({ keyName }) => keyName);
  const parts = volumes.partIds();
  const release = volumes.parts.hold(parts);
  await mkdir(target, { mode: 0o700 });
  try {
    for (const folder of ['logs', 'storage']) await mkdir(join(target, folder), { mode: 0o700 });
    for (const [name, content] of texts) await writeFile(join(target, name), content, { mode: 0o600 });
    const immutable = [
      ...archives.filter((key) => existsSync(join(storage, key))),
      ...parts.map((id) => join(partsFolder, id)),
    ];
    await linkFiles(immutable, storage, join(target, 'storage'));
    await copyTree(join(storage, mountedFolder), join(target, 'storage', mountedFolder));
    await writeFile(join(target, manifestFile), JSON.stringify(manifest), { mode: 0o600 });
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  } finally {
    await release();
  }
}

/** Files that are never changed in place. `paths` are relative. */
export async function linkFiles(paths: readonly string[], from: string, to: string): Promise<void> {
  for (const folder of new Set(paths.map(dirname))) await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
  for (let at = 0; at < paths.length; at += atOnce) {
    await Promise.all(paths.slice(at, at + atOnce).map((path) => linkOrCopy(join(from, path), join(to, path))));
  }
}

const atOnce = 32;

/** Blocks are shared where the file system can. Pipes and sockets of apps are skipped. */
export async function copyTree(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const isCopied = async (path: string) => {
    const stats = await lstat(path);
    return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
  };
  const how = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter: isCopied };
  await cp(from, to, { ...how, mode: constants.COPYFILE_FICLONE });
}
