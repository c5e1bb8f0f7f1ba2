import type { Context } from '../../context.ts';
import { deletePath } from '../../contract/volumes.ts';
import { GantryError, NotFoundError } from '../../errors.ts';
import { diskFailure } from '../../transfer/disk.ts';
import { Lane } from '../../transfer/lane.ts';
import { joinRemotePath } from '../../transfer/remote-path.ts';
import type { Target } from '../copy/places.ts';
import { type Failure, printable } from '../copy/tally.ts';
import { LocalRemoval } from './remove-local.ts';

const atOnce = 16;

/** Deletes files of a folder. What fails is told and counted, the others go on. */
export async function removeFiles(
  { api, project, progress, signal }: Context,
  { folder }: Target,
  paths: readonly string[],
): Promise<{ deleted: number; failed: Failure[] }> {
  const local = folder.kind === 'local' ? new LocalRemoval(folder.path) : undefined;
  const remove = async (path: string) => {
    if (folder.kind === 'local') return local?.remove(path);
    const { volume, region } = folder.at;
    const file = joinRemotePath(folder.at.path, path);
    await api(deletePath, { project, volume, query: { region, file_path: file } }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
    });
  };
  const result = { deleted: 0, failed: [] as Failure[] };
  const lane = new Lane(atOnce);
  for (const path of paths) {
    lane.add(async () => {
      if (signal.aborted) return;
      try {
        await remove(path);
        result.deleted++;
        progress.event('file', { path, status: 'deleted' });
      } catch (cause) {
        const error = cause instanceof GantryError ? cause : diskFailure(cause);
        result.failed.push({ path, reason: error.message, code: error.exit });
        progress.warn(`${printable(path)} is not deleted: ${error.message}`);
      }
    });
  }
  await lane.empty();
  local?.close();
  signal.throwIfAborted();
  return result;
}
