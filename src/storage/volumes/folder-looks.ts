import { GantryError, NotFoundError, UnavailableError, UnexpectedReplyError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { lookAgain } from '../../platform/waiting/index.ts';
import { readRemoteFileInfo } from '../transfer/remote-file-info.ts';
import { remoteName, remoteParent } from '../transfer/remote-path.ts';
import { inLane } from '../transfer/task-queue.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import { type ConnectingContext, urlRequester, whileConnected } from './read-files.ts';
import { listEntries, listNames, type VolumePath } from './walk-volume.ts';

export type ConfirmContext = Pick<Context, 'api' | 'apiWithSignal' | 'project'> & ConnectingContext;

interface FolderListing {
  names: ReadonlySet<string>;
  /** Why there may be more. */
  gap?: UnexpectedReplyError;
}

/** Why a path may still be there; undefined if it is still listed. */
type Remaining = Map<VolumePath, GantryError | undefined>;

const maxListings = 4;
const maxQuestions = 16;
/** Pauses before a folder is listed again, since a listing may lag behind a removal. */
const pausesMs = [500, 1_000, 2_000];

/**
 * Looks at folders before and after paths are removed from them. A path is gone if the folder lists what it did before and
 * not the path. Where it lists anything else, the list may have changed its form, or others changed the folder, and where it
 * lists nothing, the list may have been lost: then the path itself is asked for.
 */
export class FolderLooks {
  readonly #before = new Map<string, FolderListing>();

  constructor(private readonly context: ConfirmContext) {}

  /** Looks at the folders of paths. One that cannot be listed proves nothing afterwards. */
  async begin(paths: readonly VolumePath[]): Promise<void> {
    await inLane(maxListings, byFolder(paths), async ([folder, [first]]) => {
      try {
        if (first && !this.context.signal.aborted) this.#before.set(folder, await this.#look(first));
      } catch (error) {
        if (!(error instanceof GantryError)) throw error;
      }
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
        waiting = await this.#notGone([...waiting.keys()], removed, this.#before.get(folder));
        return waiting.size === 0;
      });
      return waiting;
    } catch (error) {
      if (this.context.signal.aborted) return new Map();
      if (!(error instanceof GantryError)) throw error;
      return new Map([...waiting.keys()].map((at) => [at, error]));
    }
  }

  async #look({ path, ...volume }: VolumePath): Promise<FolderListing> {
    try {
      return { names: await listNames(this.context, { ...volume, path: remoteParent(path) }) };
    } catch (error) {
      if (error instanceof UnexpectedReplyError) return { names: new Set(), gap: error };
      throw error;
    }
  }

  /** Those of the waiting paths of one folder that may still be there. `removed` are all that were removed from it. */
  async #notGone(waiting: VolumePath[], removed: VolumePath[], before: FolderListing | undefined): Promise<Remaining> {
    const left: Remaining = new Map();
    const [first] = waiting;
    if (!first) return left;
    const after = await this.#look(first);
    const kept = new Set(before?.names);
    for (const at of removed) kept.delete(listedName(at));
    const isSame = await this.#isSame(first, { before, after, kept, removed });
    const listedBefore = isSame ? before?.names : undefined;
    const isProven = (at: VolumePath) => (at.path === '/' ? !after.gap : listedBefore?.has(listedName(at)));
    for (const at of waiting.filter((each) => isListed(each, after))) left.set(at, undefined);
    const asked = waiting.filter((at) => !left.has(at) && !isProven(at));
    const showsOthers = [...kept].some((name) => after.names.has(name));
    await inLane(maxQuestions, asked, async (at) => {
      if (!(await this.#isGone(at, showsOthers)))
        left.set(at, after.gap ?? new UnavailableError(otherEntries, { retryable: true }));
    });
    return left;
  }

  /** Whether a folder lists what it did before, with or without what was removed. */
  async #isSame(
    first: VolumePath,
    {
      before,
      after,
      kept,
      removed,
    }: { before: FolderListing | undefined; after: FolderListing; kept: Set<string>; removed: VolumePath[] },
  ): Promise<boolean> {
    if (!before || before.gap || after.gap || !isWithin(kept, after.names)) return false;
    const all = new Set([...kept, ...removed.map(listedName)]);
    return isWithin(after.names, all) && (after.names.size > 0 || (await this.#isGone(first, true)));
  }

  /** Asks for a path itself. No entries prove that a folder is gone only where the list of its parent shows others. */
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
    const inFolder = folders.get(key);
    if (inFolder) inFolder.push(at);
    else folders.set(key, [at]);
  }
  return folders;
}

function isListed(at: VolumePath, { names }: FolderListing): boolean {
  return names.has(listedName(at)) || (at.path === '/' && names.size > 0);
}

const otherEntries = 'its folder lists other entries than before';

/** A folder's name has a slash. */
function listedName({ path }: VolumePath): string {
  return path.endsWith('/') ? `${remoteName(path)}/` : remoteName(path);
}

function isWithin(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return [...some].every((name) => all.has(name));
}
