import type { Context } from '../../context.ts';
import { deletePath } from '../../contract/volumes.ts';
import { GantryError, NotFoundError, UnavailableError } from '../../errors.ts';
import { formatRemotePath, remoteName, remoteParent } from '../../transfer/remote-path.ts';
import { TaskQueue } from '../../transfer/task-queue.ts';
import { listIfExists, type VolumePath } from './walk-volume.ts';

/** What became of a path that was to be deleted. */
export interface Deletion {
  /** Why it is not known to be gone; undefined when it is. */
  error?: GantryError;
  /** Something else had removed it before. */
  wasGone: boolean;
}

type Deleting = Pick<Context, 'apiWithSignal' | 'project' | 'signal' | 'delay' | 'onRetry'>;

const deletesAtOnce = 16;
const listingsAtOnce = 4;
/** A listing may lag behind a removal: pauses before a folder is listed again, in milliseconds. */
const pausesMs = [500, 1_000, 2_000];

/**
 * Deletes files, and folders with all that is in them: a folder's path ends in a slash. Neither a confirmation nor a 404
 * is believed: afterwards each folder that something was in is listed once. Gives the outcomes in the order of the paths.
 */
export async function deletePaths(context: Deleting, paths: readonly VolumePath[]): Promise<Deletion[]> {
  const { signal, project } = context;
  let hasRetried = false;
  const api = context.apiWithSignal(signal, (retry) => {
    hasRetried = true;
    context.onRetry(retry);
  });
  const answers = new Map<VolumePath, GantryError | undefined>();
  const bugs: unknown[] = [];
  await inLane(deletesAtOnce, paths, async (at) => {
    if (signal.aborted || bugs.length > 0) return;
    try {
      const { volume, region, path } = at;
      await api(deletePath, { project, volume, query: { region, file_path: path } });
      answers.set(at, undefined);
    } catch (error) {
      if (error instanceof GantryError) answers.set(at, error);
      else bugs.push(error);
    }
  });
  signal.throwIfAborted();
  if (bugs.length > 0) throw bugs[0];
  const toLookUp = paths.filter((at) => answers.get(at) === undefined || answers.get(at) instanceof NotFoundError);
  const left = await stillThere({ ...context, api }, toLookUp);
  signal.throwIfAborted();
  return paths.map((at) => {
    const answer = answers.get(at);
    const isNotFound = answer instanceof NotFoundError;
    // The first try of a request that was repeated may have removed it.
    if (!left.has(at) && (!answer || isNotFound)) return { wasGone: isNotFound && !hasRetried };
    return { error: answer ?? left.get(at) ?? stillListed(), wasGone: false };
  });
}

type Listing = Parameters<typeof listIfExists>[0] & Pick<Context, 'signal' | 'delay'>;

/** Those that are still listed, or whose folder could not be listed, then with the reason. */
async function stillThere(context: Listing, paths: readonly VolumePath[]) {
  const folders = new Map<string, VolumePath[]>();
  for (const at of paths) {
    const key = `${at.region} ${formatRemotePath({ ...at, path: remoteParent(at.path) })}`;
    const inFolder = folders.get(key);
    if (inFolder) inFolder.push(at);
    else folders.set(key, [at]);
  }
  const left = new Map<VolumePath, GantryError | undefined>();
  const bugs: unknown[] = [];
  await inLane(listingsAtOnce, [...folders.values()], async (inFolder) => {
    let waiting = inFolder;
    try {
      for (const pause of [0, ...pausesMs]) {
        if (pause > 0) await context.delay(pause);
        waiting = await listed(context, waiting);
        if (waiting.length === 0) return;
      }
      for (const at of waiting) left.set(at, undefined);
    } catch (error) {
      if (context.signal.aborted) return;
      if (!(error instanceof GantryError)) return void bugs.push(error);
      error.message = `the removal could not be confirmed: ${error.message}`;
      for (const at of waiting) left.set(at, error);
    }
  });
  if (bugs.length > 0) throw bugs[0];
  return left;
}

/** Those of the paths, all in one folder, that it lists. */
async function listed(context: Listing, paths: VolumePath[]): Promise<VolumePath[]> {
  const [first] = paths;
  if (!first) return [];
  const entries = await listIfExists(context, { ...first, path: remoteParent(first.path) });
  const names = new Set(entries.map(({ name, isFolder }) => (isFolder ? `${name}/` : name)));
  return paths.filter(({ path }) => {
    if (path === '/') return names.size > 0;
    return names.has(path.endsWith('/') ? `${remoteName(path)}/` : remoteName(path));
  });
}

function stillListed(): UnavailableError {
  return new UnavailableError('the platform confirmed the removal, but still lists it', { retryable: true });
}

async function inLane<Item>(most: number, items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const lane = new TaskQueue(most);
  for (const item of items) lane.add(() => work(item));
  await lane.waitUntilIdle();
}
