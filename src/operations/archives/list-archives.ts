import type { Context } from '../../context.ts';
import { archiveFile, type KeptArchive, readRecords, removeRecord } from './archive-store.ts';
import { removeUnused } from './limits.ts';

/** An archive that is kept on this machine, of an app of any project and platform. */
export interface ListedArchive {
  kept: KeptArchive;
  /** Equal archives share a file. */
  path: string;
  remove: () => Promise<void>;
}

export async function listArchives({ settings, now }: Context): Promise<ListedArchive[]> {
  const { state } = settings.folders;
  return (await readRecords(state)).map((kept) => ({
    kept,
    path: archiveFile(state, kept.sha256),
    async remove() {
      await removeRecord(state, kept);
      await removeUnused(state, now());
    },
  }));
}
