import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../../context.ts';
import { deletePath } from '../../contract/volumes.ts';
import { diskFailure } from '../../disk/index.ts';
import { GantryError, NotFoundError } from '../../errors.ts';
import { Lane } from '../../transfer/lane.ts';
import { joinRemotePath } from '../../transfer/remote-path.ts';
import type { Target } from '../copy/places.ts';
import { type Failure, printable } from '../copy/tally.ts';

const atOnce = 16;

/** Deletes files of a folder. What fails is told and counted, the others go on. */
export async function removeFiles(
  { api, project, progress, signal }: Context,
  { folder }: Target,
  paths: readonly string[],
): Promise<{ deleted: number; failed: Failure[] }> {
  const remove = async (path: string) => {
    if (folder.kind === 'local') return removeLocal(folder.path, path);
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
  signal.throwIfAborted();
  return result;
}

/** With the folders that are empty then. */
async function removeLocal(root: string, path: string): Promise<void> {
  await rm(join(root, path), { force: true });
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const isEmpty = await rmdir(join(root, folder)).then(
      () => true,
      () => false,
    );
    if (!isEmpty) return;
  }
}
