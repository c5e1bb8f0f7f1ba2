import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonSync } from '../../kernel/disk/regular-file.ts';
import { type Folders, nearestFolder, realFolder } from './folders.ts';
import { folderEmulatorName, nameOfPlatform, type Target, targetText } from './target.ts';

export interface FolderTarget {
  app: string;
  project: string;
  platform: string;
  address: string;
  /** Where an emulator of this user stores its state, to start it again with; null if nowhere. */
  dataFolder?: string | null;
  /** Flags that lead there again; empty if the environment had the address. */
  flags: string[];
}

/** For a folder, or the app that it is a part of. A copy, a worktree and an app below it are other folders. */
export function readFolderTarget({ state }: Pick<Folders, 'state'>, cwd: string): FolderTarget | undefined {
  const all: Record<string, FolderTarget> = Object(readJsonSync(join(state, 'targets.json')));
  const folder = findRemembered(all, cwd);
  return folder === undefined ? undefined : all[folder];
}

function findRemembered(all: Record<string, unknown>, start: string): string | undefined {
  return nearestFolder(all, start, (folder) => existsSync(join(folder, 'cerebrium.toml')));
}

/** Nothing is written into the folder itself. Folders that are gone are forgotten. */
export async function rememberFolderTarget(
  { state }: Pick<Folders, 'state'>,
  cwd: string,
  target: FolderTarget,
): Promise<void> {
  const { updateStoredFile } = await import('./stored-files.ts');
  await updateStoredFile(state, 'targets', (stored) => {
    const others = Object.entries(stored as Record<string, unknown>).filter(([folder]) => existsSync(folder));
    return { ...Object.fromEntries(others), [realFolder(cwd)]: target };
  });
}

/** A choice that was made for the folder after a deploy to an emulator replaces it. */
export async function forgetFolderEmulator(folders: Pick<Folders, 'state'>, cwd: string): Promise<void> {
  if (readFolderTarget(folders, cwd)?.platform !== 'emulator') return;
  const { updateStoredFile } = await import('./stored-files.ts');
  await updateStoredFile(folders.state, 'targets', (stored) => {
    const { [findRemembered(stored as Record<string, unknown>, cwd) ?? '']: _, ...others } = stored;
    return others;
  });
}

/** Whether the last deploy went to the emulator of the folder. */
export function isLocalTarget({ flags }: FolderTarget): boolean {
  return flags.includes('--local');
}

/** Its words, as {@link targetText} has them. */
export function folderTargetText(last: FolderTarget): string {
  const { project, platform, address } = last;
  const platformName = isLocalTarget(last) ? folderEmulatorName : nameOfPlatform(platform, address);
  return targetText({ project: { value: project, origin: '' }, platformName });
}

/** Whether a target is where the last deploy went. All emulators are one platform: they differ only in their port. */
export function isSameTarget({ project, platform }: FolderTarget, target: Target): boolean {
  return project === target.project.value && platform === target.platform.value;
}
