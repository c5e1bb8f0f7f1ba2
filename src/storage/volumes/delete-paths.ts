import { GantryError, NotFoundError, UnavailableError } from '../../kernel/errors.ts';
import { deletePath } from '../../platform/contract/volumes.ts';
import { isRefusal } from '../../platform/waiting/index.ts';
import { inLane } from '../transfer/task-queue.ts';
import { type ConfirmContext, FolderLooks } from './folder-looks.ts';
import type { VolumePath } from './walk-volume.ts';

export interface Deletion {
  /** Why the path is not confirmed to be gone; undefined if it is. */
  error?: GantryError;
  /** The platform accepted the removal of a path that it never listed, and refuses to list it. */
  refusal?: GantryError;
  wasGone: boolean;
}

const maxDeletes = 16;

/**
 * Deletes files, and folders with their contents: a folder's path ends in a slash. Confirms each removal, including those
 * answered with 404, by listing the parent folders before and after. `unlisted` are paths that the platform refused to list
 * before. Returns the outcomes in the order of the paths.
 */
export async function deletePaths(
  context: Omit<ConfirmContext, 'api'>,
  paths: readonly VolumePath[],
  unlisted: ReadonlySet<VolumePath> = new Set(),
): Promise<Deletion[]> {
  const { signal, project } = context;
  let hasRetried = false;
  const api = context.apiWithSignal(signal, (retry) => {
    hasRetried = true;
    context.onRetry(retry);
  });
  const looks = new FolderLooks(Object.create(context, { api: { value: api } }));
  await looks.begin(paths);
  hasRetried = false;
  const replies = new Map<VolumePath, GantryError | undefined>();
  await inLane(maxDeletes, paths, async (at) => {
    if (signal.aborted) return;
    try {
      const { volume, region, path } = at;
      await api(deletePath, { project, volume, query: { region, file_path: path } });
      replies.set(at, undefined);
    } catch (error) {
      if (!(error instanceof GantryError)) throw error;
      replies.set(at, error);
    }
  });
  signal.throwIfAborted();
  const toConfirm = paths.filter((at) => replies.get(at) === undefined || replies.get(at) instanceof NotFoundError);
  const remaining = await looks.remaining(toConfirm);
  signal.throwIfAborted();
  return paths.map((at) => {
    const reply = replies.get(at);
    const isNotFound = reply instanceof NotFoundError;
    // If a request was retried, its first attempt may have removed the path.
    if (!remaining.has(at) && (!reply || isNotFound)) return { wasGone: isNotFound && !hasRetried };
    const doubt = remaining.get(at);
    if (!reply && unlisted.has(at) && isRefusal(doubt)) return { refusal: doubt, wasGone: false };
    const stillListed = 'the platform confirmed the removal, but still lists it';
    return { error: reply ?? doubt ?? new UnavailableError(stillListed, { retryable: true }), wasGone: false };
  });
}
