import { GantryError, UnavailableError } from '../../kernel/errors.ts';
import { onceFor } from '../../kernel/once.ts';
import { groupDigits, printablePath } from '../../kernel/output/format.ts';
import { lookAgain } from '../../platform/waiting/index.ts';
import { normalizeEtag } from '../transfer/hash.ts';
import { readRemoteFileInfo } from '../transfer/range-request.ts';
import { remoteName, remoteParent } from '../transfer/remote-path.ts';
import { CorruptError } from '../transfer/storage-errors.ts';
import { TaskQueue } from '../transfer/task-queue.ts';
import { maxSmallBytes, type TransferContext } from '../transfer/transfer-context.ts';
import { type ListedEntry, urlRequester, type VolumePath } from '../volumes/index.ts';
import type { ReportFailure } from './copy-all.ts';
import { unconfirmedPrefix } from './copy-progress.ts';
import type { ListedFiles } from './listed-files.ts';
import type { CopyContext, FoundFile } from './ports.ts';
import { contentToCompare, openSource, verifyCopy } from './source-content.ts';

export interface CompletedFile {
  found: FoundFile;
  target: VolumePath;
  bytes: number;
  /** Version of the uploaded source: see {@link SourceContent.mark}. */
  mark: string;
  /** Start of the upload in ms since 1970, by the storage's clock if its signed URLs or its responses show it. */
  startedAt: number;
  /** Its end by the same clock, if an earlier process sent the file. */
  endedAt?: number;
  /** ETags that the storage may report; empty if unknown. */
  etags: string[];
  resumedBytes: number;
}

interface UnconfirmedFolder {
  at: VolumePath;
  /** Files found in the folder whose copy has not ended. */
  inProgress: number;
  completed: CompletedFile[];
  checked: number;
}

const listingsAtOnce = 4;
/** Pauses before a folder is listed again, since a listing may lag behind an upload. */
const pausesMs = [500, 1_000, 2_000];
/** Completed files of a folder that trigger a listing. */
const maxUnlisted = 10_000;

/** A successful reply does not prove that a file is there. Each folder is listed once, after its last file. */
export class UploadConfirmation {
  readonly #folders = new Map<string, UnconfirmedFolder>();
  readonly #listings = new TaskQueue(listingsAtOnce);
  #current: string | undefined;

  constructor(
    private readonly context: CopyContext,
    private readonly remote: Pick<ListedFiles, 'listNow'>,
    private readonly fail: ReportFailure,
  ) {}

  /** Announces a file that will be copied to this path or skipped. */
  expect(at: VolumePath): void {
    const path = remoteParent(at.path);
    const before = this.#current;
    this.#current = path;
    this.#folder(at).inProgress++;
    if (before !== undefined && before !== path) this.#listIfDone(before);
  }

  add(file: CompletedFile): void {
    const folder = this.#folder(file.target);
    folder.completed.push(file);
    // The listing grows with the folder, so more and more files share one.
    if (folder.completed.length >= Math.max(maxUnlisted, folder.checked / 4)) this.#list(folder);
  }

  end(at: VolumePath): void {
    const path = remoteParent(at.path);
    this.#folder(at).inProgress--;
    if (path !== this.#current) this.#listIfDone(path);
  }

  /** Resolves when every completed file is confirmed or missing, or the copy is interrupted. */
  async finish(): Promise<void> {
    for (const folder of this.#folders.values()) this.#list(folder);
    await this.#listings.waitUntilIdle();
  }

  #folder(at: VolumePath): UnconfirmedFolder {
    const path = remoteParent(at.path);
    return onceFor(this.#folders, path, () => ({ at: { ...at, path }, inProgress: 0, completed: [], checked: 0 }));
  }

  #listIfDone(path: string): void {
    const folder = this.#folders.get(path);
    if (!folder || folder.inProgress > 0) return;
    this.#folders.delete(path);
    this.#list(folder);
  }

  #list(folder: UnconfirmedFolder): void {
    const files = folder.completed.splice(0);
    folder.checked += files.length;
    if (files.length > 0) this.#listings.add(() => this.#confirm(folder.at, files));
  }

  async #confirm(folder: VolumePath, files: CompletedFile[]): Promise<void> {
    const { delay, signal } = this.context.resources;
    let missing = new Map<CompletedFile, unknown>(files.map((file) => [file, undefined]));
    try {
      const pause = (ms: number) => delay(ms, signal);
      await lookAgain(pausesMs, pause, async () => {
        missing = await this.#findMissing(folder, missing.keys());
        return missing.size === 0;
      });
    } catch (error) {
      const reason = unconfirmed(error);
      for (const [file, before] of missing) missing.set(file, before ?? reason);
    }
    // The next run of the same command confirms them.
    if (signal.aborted) return;
    for (const [{ found, bytes }, error] of missing) {
      this.context.progress.confirmationEnded(bytes);
      this.fail(found, error);
    }
  }

  /** Lists the folder once and reports the files that are there. Returns the others with the reason. */
  async #findMissing(folder: VolumePath, files: Iterable<CompletedFile>): Promise<Map<CompletedFile, unknown>> {
    const entries = await this.remote.listNow(folder);
    const missing = new Map<CompletedFile, unknown>();
    for (const file of files) {
      const error = await this.findProblem(file, entries.get(remoteName(file.target.path))).catch(unconfirmed);
      if (error) missing.set(file, error);
      else this.#arrived(file);
    }
    return missing;
  }

  #arrived({ found, bytes, resumedBytes }: CompletedFile): void {
    const { progress } = this.context;
    progress.confirmationEnded(bytes);
    progress.copied(found.path, bytes, resumedBytes);
  }

  /** Why a file does not count as uploaded, by its entry in the listing. */
  async findProblem(file: CompletedFile, entry: ListedEntry | undefined): Promise<GantryError | undefined> {
    if (!entry || entry.isFolder) return lostError('the volume does not list the file');
    if (entry.bytes !== file.bytes) {
      return lostError(`the volume lists ${groupDigits(entry.bytes)} bytes instead of ${groupDigits(file.bytes)}`);
    }
    return isNewFile(entry.modified, file, this.context) ? undefined : this.#findStorageProblem(file);
  }

  /** For a listed time that is no newer: asks the storage, and reads the file back if that does not help. */
  async #findStorageProblem(file: CompletedFile): Promise<GantryError | undefined> {
    const { resources } = this.context;
    const { bytes, etag, modified } = await readRemoteFileInfo(urlRequester(file.target, this.context), resources);
    if (bytes !== undefined && bytes !== file.bytes) {
      return lostError(`the storage has ${groupDigits(bytes)} bytes instead of ${groupDigits(file.bytes)}`);
    }
    const isSized = bytes !== undefined;
    if (isSized && (isNewFile(modified, file, this.context) || file.etags.includes(normalizeEtag(etag))))
      return undefined;
    if (!resources.check) throw unprovenError();
    return (await this.#hasSameContent(file)) ? undefined : lostError('the volume still has the earlier content');
  }

  async #hasSameContent(file: CompletedFile): Promise<boolean> {
    const { resources, command } = this.context;
    if (file.bytes > maxSmallBytes) {
      command.progress.note(
        `reading ${printablePath(file.found.path)} back to confirm it: the volume reports no newer modification time`,
      );
    }
    const source = await openSource(file.found, this.context, resources);
    try {
      if (source.mark !== file.mark) throw new UnavailableError('the source file changed after the upload');
      const content = contentToCompare(file.target, file.bytes, this.context, resources);
      await verifyCopy(source.original, content, resources);
      return true;
    } catch (error) {
      if (error instanceof CorruptError) return false;
      throw error;
    } finally {
      await source.close();
    }
  }
}

function lostError(fact: string): UnavailableError {
  return new UnavailableError(`the platform confirmed the upload, but ${fact}`, { retryable: true });
}

function unprovenError(): UnavailableError {
  return new UnavailableError('cannot tell the upload from an earlier file of the same size', {
    why: 'neither the volume nor the storage reports a newer modification time',
    fix: 'run the command again without --no-checksum to compare the content',
    retryable: true,
  });
}

function unconfirmed(error: unknown): unknown {
  if (!(error instanceof GantryError)) return error;
  error.message = `${unconfirmedPrefix}${error.message}`;
  return error;
}

/** Maximum time between the start of an upload and the signing of its URLs, in ms. */
const maxSigningMs = 2_000;
/** Times of listings and Date headers have whole seconds. */
const precisionMs = 1_000;

/**
 * Whether a file with this time, by the storage's clock, cannot have existed before the upload. `startedAt` is the start of
 * the upload by the same clock, and `endedAt` its end if that was in an earlier process. A time after the end shows that
 * the clocks differ, and then proves nothing.
 */
export function isNewFile(
  time: number | undefined,
  { startedAt, endedAt, bytes }: { startedAt: number; endedAt?: number | undefined; bytes: number },
  { resources }: { resources: Pick<TransferContext, 'storageClock'> },
): boolean {
  if (time === undefined || time > (endedAt ?? resources.storageClock.current()) + precisionMs) return false;
  // Storage may use the start of the upload, shortly before its URLs were signed, as the file's time. Small files need no
  // tolerance: asking the storage about them is cheap.
  const toleranceMs = bytes > maxSmallBytes ? maxSigningMs : 0;
  return time >= Math.floor((startedAt - toleranceMs) / precisionMs) * precisionMs;
}

/**
 * The start of an upload by the storage's clock. `signed` is the time of its signed URLs and `begun` when they were asked
 * for: an earlier signature was made by another clock, or for an upload that is resumed, and says nothing of files that
 * came between.
 */
export function uploadStart(signed: number | undefined, begun: number): number {
  return signed === undefined || signed < begun - maxSigningMs - precisionMs ? begun : signed;
}
