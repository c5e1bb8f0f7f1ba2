import type { Context } from '../../context.ts';
import { toDiskError } from '../../disk/index.ts';
import { GantryError } from '../../errors.ts';
import { joinRemotePath } from '../../transfer/remote-path.ts';
import { TaskQueue } from '../../transfer/task-queue.ts';
import { type CopyTarget, type FailedFile, printablePath } from '../copy/index.ts';
import { deletePaths, type VolumePath } from '../volumes/index.ts';
import { LocalRemoval } from './remove-local.ts';

const atOnce = 16;
/** Remote files deleted before they are looked up, so that a long list is reported on the way. */
const batch = 10_000;

interface Removals {
  deleted: number;
  failed: FailedFile[];
}

/** Deletes files of a folder. What fails is told and counted, the others go on. */
export async function removeFiles(
  context: Context,
  { folder }: CopyTarget,
  paths: readonly string[],
): Promise<Removals> {
  const { progress, signal } = context;
  const result: Removals = { deleted: 0, failed: [] };
  const settle = (path: string, error: GantryError | undefined) => {
    if (!error) {
      result.deleted++;
      progress.event('file', { path, status: 'deleted' });
      return;
    }
    result.failed.push({ path, reason: error.message, code: error.exit });
    progress.warn(`${printablePath(path)} is not deleted: ${error.message}`);
  };
  if (folder.kind === 'remote') await removeRemote(context, folder.at, paths, settle);
  else await removeLocally(folder.path, paths, signal, settle);
  signal.throwIfAborted();
  return result;
}

type Settle = (path: string, error: GantryError | undefined) => void;

async function removeRemote(context: Context, at: VolumePath, paths: readonly string[], settle: Settle): Promise<void> {
  for (let start = 0; start < paths.length; start += batch) {
    const some = paths.slice(start, start + batch);
    const outcomes = await deletePaths(
      context,
      some.map((path) => ({ ...at, path: joinRemotePath(at.path, path) })),
    );
    for (const [index, path] of some.entries()) settle(path, outcomes[index]?.error);
  }
}

async function removeLocally(root: string, paths: readonly string[], signal: AbortSignal, settle: Settle) {
  const removal = new LocalRemoval(root);
  const lane = new TaskQueue(atOnce);
  for (const path of paths) {
    lane.add(async () => {
      if (signal.aborted) return;
      try {
        await removal.remove(path);
        settle(path, undefined);
      } catch (cause) {
        settle(path, cause instanceof GantryError ? cause : toDiskError(cause));
      }
    });
  }
  await lane.waitUntilIdle();
  removal.close();
}
