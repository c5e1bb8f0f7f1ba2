import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { findWritableByOthers, linkOrCopy, sha256OfFile, TemporaryFolder } from '../../disk/index.ts';
import { latestFirst } from '../../output/format.ts';
import type { AppArchive } from '../../project/archive.ts';
import { archiveFile, archiveFolders, findRecord, type KeptArchive, readRecords } from './archive-store.ts';
import { buildKey } from './keep-archive.ts';

/** What this machine kept of a build; undefined if there is nothing, or nothing that can be trusted. */
export async function findKeptArchive(context: Context, app: string, build: string): Promise<KeptArchive | undefined> {
  const { state } = context.settings.folders;
  if (findWritableByOthers(...archiveFolders(state))) return undefined;
  return findRecord(state, buildKey(context, app, build));
}

/** The newest build of an app, other than these, whose archive is kept. */
export async function findOtherKept(
  context: Context,
  app: string,
  builds: readonly (string | undefined)[],
): Promise<string | undefined> {
  const { state } = context.settings.folders;
  if (findWritableByOthers(...archiveFolders(state))) return undefined;
  const { platform, project } = buildKey(context, app, '');
  const [newest] = (await readRecords(state))
    .filter((kept) => kept.platform === platform && kept.project === project && kept.app === app)
    .filter(({ build }) => !builds.includes(build))
    .sort(latestFirst(({ keptAt }) => keptAt));
  return newest?.build;
}

/** Why this machine has no archive of a build. */
export function whyNotKept({ settings }: Context): string {
  const { keepArchives, folders } = settings;
  const writable = findWritableByOthers(...archiveFolders(folders.state));
  if (writable) return `other users can write ${writable}, so its archives are not used`;
  if (keepArchives.value === 'off') return `keep-archives is off (${keepArchives.origin})`;
  return 'gantry keeps the archives of deploys from this machine, up to 1 GiB and 90 days';
}

/**
 * Passes a kept archive to `use`, under a name of its own: another process may remove the kept one meanwhile. Passes
 * undefined if it is not there any more, or damaged.
 */
export async function withKeptArchive<T>(
  { settings, signal }: Context,
  { sha256, bytes, entries }: KeptArchive,
  use: (archive: AppArchive | undefined) => Promise<T>,
): Promise<T> {
  const folder = await TemporaryFolder.create('archive');
  try {
    const path = join(folder.path, 'app.zip');
    const found = await linkOrCopy(archiveFile(settings.folders.state, sha256), path).then(
      () => sha256OfFile(path, signal),
      () => '',
    );
    signal.throwIfAborted();
    return await use(found === sha256 ? { path, bytes, entries, changed: [] } : undefined);
  } finally {
    await folder.remove();
  }
}
