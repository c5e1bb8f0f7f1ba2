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
import { shareArchive, shareRecord } from './team-archives.ts';

/** What a build was deployed with. */
interface Deployed extends Pick<KeptArchive, 'baseImages' | 'restored' | 'deployRecord'> {
  build: string;
  body: AppCreation;
}

/**
 * Reads the archive while it is uploaded; `commit` then keeps it. Best effort: a deploy never fails because of this, and
 * a full disk only means that there is no archive to roll back to.
 */
export function startKeeping(context: Context, archive: AppArchive): { commit(deployed: Deployed): Promise<void> } {
  const isOff = context.settings.keepArchives.value === 'off' || archive.bytes > keepLimits.bytes;
  const hash = isOff ? undefined : sha256OfFile(archive.path, context.signal);
  // The upload may fail first: nobody waits for the hash then.
  hash?.catch(() => {});
  return {
    async commit(deployed) {
      try {
        if (hash) await keep(context, archive, await hash, deployed);
      } catch (error) {
        context.trace(`cannot keep the archive: ${(error as Error).message}`);
      }
    },
  };
}

/** Lets the team return to a build, now that it is ready. Best effort. */
export async function shareKept(context: Context, app: string, build: string): Promise<void> {
  await shareRecord(context, buildKey(context, app, build)).catch(() => {});
}

/** Removes what was kept of a build that failed. Best effort. */
export async function forgetArchive(context: Context, app: string, build: string): Promise<void> {
  await removeRecord(context.settings.folders.state, buildKey(context, app, build)).catch(() => {});
}

async function keep(context: Context, archive: AppArchive, sha256: string, deployed: Deployed): Promise<void> {
  const { state } = context.settings.folders;
  const { dockerAuth: _login, ...body } = deployed.body;
  const { build, baseImages, restored, deployRecord } = deployed;
  const { bytes, entries } = archive;
  const now = context.now();
  const keptAt = new Date(now).toISOString();
  makePrivateFolder(recordsFolder(state));
  makePrivateFolder(filesFolder(state));
  checkWritableByUserOnly(...archiveFolders(state));
  // The record comes first: an archive without a record may be removed by another process.
  const key = buildKey(context, body.name, build);
  await writeRecord(state, { ...key, keptAt, sha256, bytes, entries, body, baseImages, restored, deployRecord });
  await linkOrCopy(archive.path, archiveFile(state, sha256));
  await enforceLimits(state, now);
  shareArchive(context, key, sha256);
}
