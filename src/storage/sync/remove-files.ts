import { toDiskError } from '../../kernel/disk/index.ts';
import { GantryError } from '../../kernel/errors.ts';
import { printablePath } from '../../kernel/output/format.ts';
import type { PackedList } from '../../kernel/packed-list.ts';
import type { Context } from '../../platform/context.ts';
import type { CopyTarget, FailedFile } from '../copy/index.ts';
import { joinRemotePath } from '../transfer/remote-path.ts';
import { TaskQueue } from '../transfer/task-queue.ts';
import { deletePaths, type VolumePath } from '../volumes/index.ts';
import { LocalRemoval } from './remove-local.ts';

const maxConcurrent = 16;
/** Remote files deleted before they are confirmed: each time, a folder is listed as a whole. */
const batchSize = 10_000;

interface Removals {
  deleted: number;
  failed: FailedFile[];
}

/** Deletes files of a folder. Reports and counts failures and continues. */
export async function removeFiles(
  context: Context,
  { folder }: CopyTarget,
  paths: PackedList<string>,
): Promise<Removals> {
  const { progress, signal } = context;
  const result: Removals = { deleted: 0, failed: [] };
  const report = (path: string, error: GantryError | undefined) => {
    if (!error) {
      result.deleted++;
      progress.event('file', { path, status: 'deleted' });
      return;
    }
    result.failed.push({ path, reason: error.message, code: error.exit });
    progress.warn(`${printablePath(path)} was not deleted: ${error.message}`);
  };
  if (folder.kind === 'remote') await removeRemote(context, folder.at, paths, report);
  else await removeLocally(folder.path, paths, signal, report);
  signal.throwIfAborted();
  return result;
}

type ReportRemoval = (path: string, error: GantryError | undefined) => void;

async function removeRemote(
  context: Context,
  at: VolumePath,
  paths: PackedList<string>,
  report: ReportRemoval,
): Promise<void> {
  for (const batch of inBatches(paths)) {
    const outcomes = await deletePaths(
      context,
      batch.map((path) => ({ ...at, path: joinRemotePath(at.path, path) })),
    );
    for (const [index, path] of batch.entries()) report(path, outcomes[index]?.error);
  }
}

function* inBatches(paths: Iterable<string>): Generator<string[]> {
  let batch: string[] = [];
  for (const path of paths) {
    batch.push(path);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function removeLocally(root: string, paths: Iterable<string>, signal: AbortSignal, report: ReportRemoval) {
  const removal = new LocalRemoval(root);
  const lane = new TaskQueue(maxConcurrent);
  for (const path of paths) {
    lane.add(async () => {
      if (signal.aborted) return;
      try {
        await removal.remove(path);
        report(path, undefined);
      } catch (cause) {
        report(path, cause instanceof GantryError ? cause : toDiskError(cause));
      }
    });
  }
  await lane.waitUntilIdle();
  removal.close();
}
