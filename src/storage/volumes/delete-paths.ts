import { GantryError, NotFoundError, UnavailableError, UnexpectedReplyError } from '../../kernel/errors.ts';
import { inLane, onceFor } from '../../kernel/once.ts';
import type { Context } from '../../platform/context.ts';
import { deletePath } from '../../platform/contract/volumes.ts';
import { isRefusal, lookAgain, unless } from '../../platform/waiting/index.ts';
import { readRemoteFileInfo } from '../transfer/range-request.ts';
import { remoteName, remoteParent } from '../transfer/remote-path.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import { type ConnectingContext, urlRequester, whileConnected } from './read-files.ts';
import { listEntries, listNames, type VolumePath } from './walk-volume.ts';

export type ConfirmContext = Pick<Context, 'api' | 'apiWithSignal' | 'project'> & ConnectingContext;

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

/** Why a path may still be there; undefined if it is still listed. */
type Remaining = Map<VolumePath, GantryError | undefined>;

const maxListings = 4;
const maxQuestions = 16;
/** Pauses before a folder is listed again, since a listing may lag behind a removal. */
const pausesMs = [500, 1_000, 2_000];

/**
 * Looks at folders before and after paths are removed from them. A path is gone if the folder lists others and not the path.
 * A list of nothing may have been lost: then the path itself is asked for.
 */
class FolderLooks {
  /** Folders of which nothing is left once all is removed. */
  readonly #emptied = new Set<string>();

  constructor(private readonly context: ConfirmContext) {}

  /** Looks at the folders of paths. What one that cannot be listed had is not known. */
  async begin(paths: readonly VolumePath[]): Promise<void> {
    await inLane(maxListings, byFolder(paths), async ([folder, removed]) => {
      if (this.context.signal.aborted) return;
      const names = await unless((error) => error instanceof GantryError, this.#list(removed));
      const listed = new Set(removed.map(listedName));
      if (names && [...names].every((name) => listed.has(name))) this.#emptied.add(folder);
    });
  }

  /** The removed paths that may still be there. Looks several times at what does not show that they are gone. */
  async remaining(paths: readonly VolumePath[]): Promise<Remaining> {
    const remaining: Remaining = new Map();
    await inLane(maxListings, byFolder(paths), async ([folder, removed]) => {
      const left = await this.#waitUntilGone(folder, removed);
      const doubts = new Set(left.values());
      for (const doubt of doubts) if (doubt) doubt.message = `the removal could not be confirmed: ${doubt.message}`;
      for (const [at, doubt] of left) remaining.set(at, doubt);
    });
    return remaining;
  }

  /** After an interrupt nothing is said to remain. */
  async #waitUntilGone(folder: string, removed: VolumePath[]): Promise<Remaining> {
    let waiting: Remaining = new Map(removed.map((at) => [at, undefined]));
    try {
      await lookAgain(pausesMs, this.context.delay, async () => {
        waiting = await this.#notGone([...waiting.keys()], this.#emptied.has(folder));
        return waiting.size === 0;
      });
      return waiting;
    } catch (error) {
      if (this.context.signal.aborted) return new Map();
      if (!(error instanceof GantryError)) throw error;
      return new Map([...waiting.keys()].map((at) => [at, error]));
    }
  }

  #list([first]: readonly VolumePath[]): Promise<Set<string>> {
    const { path, ...volume } = first as VolumePath;
    return listNames(this.context, { ...volume, path: remoteParent(path) });
  }

  /** The waiting paths of one folder that may still be there. */
  async #notGone(waiting: VolumePath[], isEmptied: boolean): Promise<Remaining> {
    let doubt: GantryError = new UnavailableError('its folder lists nothing', { retryable: true });
    const listed = await this.#list(waiting).catch((error: unknown) => {
      if (!(error instanceof UnexpectedReplyError)) throw error;
      doubt = error;
      return undefined;
    });
    const names = listed ?? new Set<string>();
    const left: Remaining = new Map(waiting.filter((at) => isIn(names, at)).map((at) => [at, undefined]));
    if (names.size > 0 || (listed === names && (await this.#isTrulyEmpty(waiting, isEmptied)))) return left;
    await inLane(maxQuestions, waiting, async (at) => {
      if (!(await this.#isGone(at, false))) left.set(at, doubt);
    });
    return left;
  }

  async #isTrulyEmpty([first]: readonly VolumePath[], isEmptied: boolean): Promise<boolean> {
    const at = first as VolumePath;
    return at.path === '/' || (isEmptied && this.#isGone(at, true));
  }

  /** Asks for a path itself. No entries prove that a folder is gone only where it was the last in its parent. */
  async #isGone(at: VolumePath, emptyIsGone: boolean): Promise<boolean> {
    try {
      if (at.path.endsWith('/')) return (await listEntries(this.context, at)).length === 0 && emptyIsGone;
      await this.#askStorage(at);
      return false;
    } catch (error) {
      if (error instanceof NotFoundError) return true;
      if (error instanceof GantryError) return false;
      throw error;
    }
  }

  async #askStorage(at: VolumePath): Promise<void> {
    const ask = (resources: TransferContext) => readRemoteFileInfo(urlRequester(at, this.context), resources);
    await whileConnected(this.context, ask, { concurrency: 1, check: false });
  }
}

function byFolder(paths: readonly VolumePath[]): Map<string, VolumePath[]> {
  const folders = new Map<string, VolumePath[]>();
  for (const at of paths) {
    const key = JSON.stringify([at.region, at.volume, remoteParent(at.path)]);
    onceFor<string, VolumePath[]>(folders, key, () => []).push(at);
  }
  return folders;
}

const isIn = (names: ReadonlySet<string>, at: VolumePath) =>
  names.has(listedName(at)) || (at.path === '/' && names.size > 0);

/** A folder's name has a slash. */
function listedName({ path }: VolumePath): string {
  return path.endsWith('/') ? `${remoteName(path)}/` : remoteName(path);
}
