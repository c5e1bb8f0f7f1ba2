import type { Context } from '../../context.ts';
import type { AppCreation } from '../../contract/apps.ts';
import { checkWritableByUserOnly, linkOrCopy, makePrivateFolder, sha256OfFile } from '../../disk/index.ts';
import type { AppArchive } from '../../project/archive.ts';
import {
  archiveFile,
  archiveFolders,
  buildKey,
  filesFolder,
  type KeptArchive,
  recordsFolder,
  removeRecord,
  writeRecord,
} from './archive-store.ts';
import { enforceLimits, keepLimits } from './limits.ts';
import { shareArchive } from './team-archives.ts';

/** What a build was deployed with. */
interface Deployed extends Pick<KeptArchive, 'baseImages' | 'restored' | 'deployRecord'> {
  build: string;
  body: AppCreation;
}

/** Keeps the archive of a build. */
interface Keeping {
  /** Before the upload: nobody may be there any more to do it once it has arrived. */
  keep(deployed: Deployed): Promise<KeptArchive | undefined>;
  /** After the upload: sends it to the team, and makes room when the command ends. */
  share(): void;
}

/**
 * Reads the archive while its build is created. Best effort: a deploy never fails because of this, and a full disk only
 * means that there is no archive to roll back to.
 */
export function startKeeping(context: Context, archive: AppArchive): Keeping {
  const isOff = context.settings.keepArchives.value === 'off' || archive.bytes > keepLimits.bytes;
  const hash = isOff ? undefined : sha256OfFile(archive.path, context.signal);
  // The build may not be created: nobody waits for the hash then.
  hash?.catch(() => {});
  let kept: KeptArchive | undefined;
  return {
    async keep(deployed) {
      kept = hash && (await attempt(context, async () => keep(context, archive, await hash, deployed)));
      return kept;
    },
    share() {
      const shared = kept;
      if (!shared) return;
      // Once it is known how the command has ended: until then, a rollback may need any of them.
      context.atEnd.push((atEnd) => attempt(atEnd, () => enforceLimits(atEnd)));
      shareArchive(context, shared);
    },
  };
}

/** Removes what was kept of a build that failed. Best effort. */
export async function forgetArchive(context: Context, app: string, build: string): Promise<void> {
  await removeRecord(context.settings.folders.state, buildKey(context, app, build)).catch(() => {});
}

async function attempt<T>(context: Context, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    context.trace(`cannot keep the archive: ${(error as Error).message}`);
    return undefined;
  }
}

async function keep(context: Context, archive: AppArchive, sha256: string, deployed: Deployed): Promise<KeptArchive> {
  const { state } = context.settings.folders;
  const { dockerAuth: _login, ...body } = deployed.body;
  const { build, baseImages, restored, deployRecord } = deployed;
  const { bytes, entries } = archive;
  // By the clock that all machines share: the newest of a team are kept.
  const keptAt = new Date(context.platformNow()).toISOString();
  makePrivateFolder(recordsFolder(state));
  makePrivateFolder(filesFolder(state));
  checkWritableByUserOnly(...archiveFolders(state));
  const key = buildKey(context, body.name, build);
  const kept = { ...key, keptAt, sha256, bytes, entries, body, baseImages, restored, deployRecord };
  // The record comes first: an archive without a record may be removed by another process.
  await writeRecord(state, kept);
  await linkOrCopy(archive.path, archiveFile(state, sha256));
  return kept;
}
