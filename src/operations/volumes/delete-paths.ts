import type { Context } from '../../context.ts';
import { deletePath } from '../../contract/volumes.ts';
import { GantryError, NotFoundError, UnavailableError } from '../../errors.ts';
import { formatRemotePath, remoteName, remoteParent } from '../../transfer/remote-path.ts';
import { TaskQueue } from '../../transfer/task-queue.ts';
import { isRefusal } from '../waiting/index.ts';
import { listCompletely, listIfExists, type VolumePath } from './walk-volume.ts';

/** The outcome for one path. */
export interface Deletion {
  /** Why the path is not confirmed to be gone; undefined if it is. */
  error?: GantryError;
  /** The platform accepted the removal of a path that it never listed, and refuses to list it. */
  refusal?: GantryError;
  /** The path did not exist any more. */
  wasGone: boolean;
}

type DeleteContext = Pick<Context, 'apiWithSignal' | 'project' | 'signal' | 'delay' | 'onRetry'>;

const maxDeletes = 16;
const maxListings = 4;
/** Pauses before a folder is listed again, since a listing may lag behind a removal. */
const pausesMs = [500, 1_000, 2_000];

/**
 * Deletes files, and folders with their contents: a folder's path ends in a slash. Confirms each removal, including those
 * answered with 404, by listing the parent folders. `unlisted` are paths that the platform refused to list before. Returns
 * the outcomes in the order of the paths.
 */
export async function deletePaths(
  context: DeleteContext,
  paths: readonly VolumePath[],
  unlisted: ReadonlySet<VolumePath> = new Set(),
): Promise<Deletion[]> {
  const { signal, project } = context;
  let hasRetried = false;
  const api = context.apiWithSignal(signal, (retry) => {
    hasRetried = true;
    context.onRetry(retry);
  });
  const replies = new Map<VolumePath, GantryError | undefined>();
  const bugs: unknown[] = [];
  await inLane(maxDeletes, paths, async (at) => {
    if (signal.aborted || bugs.length > 0) return;
    try {
      const { volume, region, path } = at;
      await api(deletePath, { project, volume, query: { region, file_path: path } });
      replies.set(at, undefined);
    } catch (error) {
      if (error instanceof GantryError) replies.set(at, error);
      else bugs.push(error);
    }
  });
  signal.throwIfAborted();
  if (bugs.length > 0) throw bugs[0];
  const toConfirm = paths.filter((at) => replies.get(at) === undefined || replies.get(at) instanceof NotFoundError);
  const remaining = await findRemaining({ api, project, signal, delay: context.delay }, toConfirm);
  signal.throwIfAborted();
  return paths.map((at) => {
    const reply = replies.get(at);
    const isNotFound = reply instanceof NotFoundError;
    // If a request was retried, its first attempt may have removed the path.
    if (!remaining.has(at) && (!reply || isNotFound)) return { wasGone: isNotFound && !hasRetried };
    const doubt = remaining.get(at);
    if (!reply && unlisted.has(at) && isRefusal(doubt)) return { refusal: doubt, wasGone: false };
    return { error: reply ?? remaining.get(at) ?? stillListedError(), wasGone: false };
  });
}

type ListContext = Parameters<typeof listIfExists>[0] & Pick<Context, 'signal' | 'delay'>;

/** The paths that are still listed, or whose folder could not be listed, with the reason. */
async function findRemaining(context: ListContext, paths: readonly VolumePath[]) {
  const folders = new Map<string, VolumePath[]>();
  for (const at of paths) {
    const key = `${at.region} ${formatRemotePath({ ...at, path: remoteParent(at.path) })}`;
    const inFolder = folders.get(key);
    if (inFolder) inFolder.push(at);
    else folders.set(key, [at]);
  }
  const remaining = new Map<VolumePath, GantryError | undefined>();
  const bugs: unknown[] = [];
  await inLane(maxListings, [...folders.values()], async (inFolder) => {
    let waiting = inFolder;
    try {
      for (const pause of [0, ...pausesMs]) {
        if (pause > 0) await context.delay(pause);
        waiting = await filterListed(context, waiting);
        if (waiting.length === 0) return;
      }
      for (const at of waiting) remaining.set(at, undefined);
    } catch (error) {
      if (context.signal.aborted) return;
      if (!(error instanceof GantryError)) return void bugs.push(error);
      error.message = `the removal could not be confirmed: ${error.message}`;
      for (const at of waiting) remaining.set(at, error);
    }
  });
  if (bugs.length > 0) throw bugs[0];
  return remaining;
}

/** Filters paths of one folder by whether it still lists them. */
async function filterListed(context: ListContext, paths: VolumePath[]): Promise<VolumePath[]> {
  const [first] = paths;
  if (!first) return [];
  const entries = await listIfExists(context, { ...first, path: remoteParent(first.path) }, listCompletely);
  const names = new Set(entries.map(({ name, isFolder }) => (isFolder ? `${name}/` : name)));
  return paths.filter(({ path }) => {
    if (path === '/') return names.size > 0;
    return names.has(path.endsWith('/') ? `${remoteName(path)}/` : remoteName(path));
  });
}

function stillListedError(): UnavailableError {
  return new UnavailableError('the platform confirmed the removal, but still lists it', { retryable: true });
}

async function inLane<Item>(
  concurrency: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const lane = new TaskQueue(concurrency);
  for (const item of items) lane.add(() => work(item));
  await lane.waitUntilIdle();
}
