import { GantryError, UnavailableError } from '../../errors.ts';
import { groupDigits } from '../../output/format.ts';
import { normalizeEtag } from '../../transfer/etag-checksum.ts';
import { planParts } from '../../transfer/parts.ts';
import { readRemoteFileInfo } from '../../transfer/remote-file-info.ts';
import { remoteName, remoteParent } from '../../transfer/remote-path.ts';
import { maxSmallBytes } from '../../transfer/resources.ts';
import { CorruptError } from '../../transfer/storage-errors.ts';
import { TaskQueue } from '../../transfer/task-queue.ts';
import { type ListedEntry, urlRequester, type VolumePath } from '../volumes/index.ts';
import type { CopyContext } from './copy-context.ts';
import { printablePath, unconfirmedPrefix } from './copy-progress.ts';
import type { SizedFile } from './found-entry.ts';
import type { RemoteFolders } from './remote-folders.ts';
import { contentToCompare, openSource } from './source-content.ts';
import { parseTimestamp } from './unchanged.ts';
import { verifyCopy } from './verify-copy.ts';

/** A file whose upload the platform has confirmed, but which was not seen on the volume yet. */
export interface CompletedFile {
  found: SizedFile;
  target: VolumePath;
  bytes: number;
  /** Identifies the state of the source that was sent. */
  mark: string;
  /** When the upload began, in milliseconds of the storage's clock if its links tell it. */
  startedAt: number;
  /** What the storage may say of it; empty if that is not known. */
  etags: string[];
  resumedBytes: number;
}

export interface ConfirmationListener {
  arrived(file: CompletedFile): void;
  /** Anything but a GantryError is a bug. */
  missing(file: CompletedFile, error: unknown): void;
}

interface Folder {
  at: VolumePath;
  /** Files found in it whose copy has not ended. */
  underWay: number;
  completed: CompletedFile[];
  /** Files that were looked up before. */
  lookedUp: number;
}

const listingsAtOnce = 4;
/** A listing may lag behind an upload: pauses before a folder is listed again, in milliseconds. */
const pausesMs = [500, 1_000, 2_000];
/** Between the beginning of an upload and the signing of its links, at most, in milliseconds. */
const signingMs = 2_000;
/** Completed files of one folder that wait for a listing. */
const mostWaiting = 10_000;

/**
 * Looks uploaded files up on the volume: the platform's answer to an upload is not proof that the file is there. Each
 * folder is listed once, when the last of its files was sent, while the files of the next folders are being sent.
 */
export class UploadConfirmation {
  readonly #folders = new Map<string, Folder>();
  readonly #listings = new TaskQueue(listingsAtOnce);
  /** The folder in which files are being found. */
  #current: string | undefined;

  constructor(
    private readonly context: CopyContext,
    private readonly remote: RemoteFolders,
    private readonly verdicts: ConfirmationListener,
  ) {}

  /** A file was found that will be copied to this path, or skipped. */
  expect(at: VolumePath): void {
    const path = remoteParent(at.path);
    const before = this.#current;
    this.#current = path;
    this.#folder(at).underWay++;
    if (before !== undefined && before !== path) this.#listIfDone(before);
  }

  add(file: CompletedFile): void {
    const folder = this.#folder(file.target);
    folder.completed.push(file);
    // The listing of a huge folder is huge: the more it holds, the more files share one.
    if (folder.completed.length >= Math.max(mostWaiting, folder.lookedUp / 4)) this.#list(folder);
  }

  /** The copy of an expected file has ended, well or not. */
  end(at: VolumePath): void {
    const path = remoteParent(at.path);
    this.#folder(at).underWay--;
    if (path !== this.#current) this.#listIfDone(path);
  }

  /** Looks up what is left. Resolves when every completed file has its verdict, or the copy was interrupted. */
  async finish(): Promise<void> {
    for (const folder of this.#folders.values()) this.#list(folder);
    await this.#listings.waitUntilIdle();
  }

  #folder(at: VolumePath): Folder {
    const path = remoteParent(at.path);
    const known = this.#folders.get(path);
    if (known) return known;
    const folder = { at: { ...at, path }, underWay: 0, completed: [], lookedUp: 0 };
    this.#folders.set(path, folder);
    return folder;
  }

  #listIfDone(path: string): void {
    const folder = this.#folders.get(path);
    if (!folder || folder.underWay > 0) return;
    this.#folders.delete(path);
    this.#list(folder);
  }

  #list(folder: Folder): void {
    const files = folder.completed.splice(0);
    folder.lookedUp += files.length;
    if (files.length > 0) this.#listings.add(() => this.#lookUp(folder.at, files));
  }

  /** Lists a folder until its files are there, or the last pause is over. */
  async #lookUp(folder: VolumePath, files: CompletedFile[]): Promise<void> {
    const { delay, signal } = this.context.resources;
    let missing = new Map<CompletedFile, unknown>(files.map((file) => [file, undefined]));
    try {
      for (const pause of [0, ...pausesMs]) {
        if (pause > 0) await delay(pause, signal);
        missing = await this.#missing(folder, missing.keys());
        if (missing.size === 0) return;
      }
    } catch (error) {
      const reason = unconfirmed(error);
      for (const [file, before] of missing) missing.set(file, before ?? reason);
    }
    // Interrupted: the next run of the same command looks them up.
    if (signal.aborted) return;
    for (const [file, error] of missing) this.verdicts.missing(file, error);
  }

  /** Lists the folder once. Files that have arrived get their verdict, the others are returned with the reason. */
  async #missing(folder: VolumePath, files: Iterable<CompletedFile>): Promise<Map<CompletedFile, unknown>> {
    const entries = await this.remote.listNow(folder);
    const missing = new Map<CompletedFile, unknown>();
    for (const file of files) {
      const error = await this.findProblem(file, entryOf(file, entries)).catch(unconfirmed);
      if (error) missing.set(file, error);
      else this.verdicts.arrived(file);
    }
    return missing;
  }

  /** Why a file does not count as arrived, by its entry in the listing of its folder. */
  async findProblem(file: CompletedFile, entry: ListedEntry | undefined): Promise<GantryError | undefined> {
    if (!entry || entry.isFolder) return lost('the volume does not list the file');
    if (entry.size !== null && entry.size !== file.bytes) {
      return lost(`the volume lists ${groupDigits(entry.size)} bytes instead of ${groupDigits(file.bytes)}`);
    }
    return entry.size !== null && isNew(parseTimestamp(entry.modified), file)
      ? undefined
      : this.#objectionOfStorage(file);
  }

  /**
   * The same where the listing is no proof: it shows no size or no time, or an earlier time, so that the entry may be an
   * earlier file of the same size. The storage is asked, and if that is no proof either the file is read back.
   */
  async #objectionOfStorage(file: CompletedFile): Promise<GantryError | undefined> {
    const { resources } = this.context;
    const { bytes, etag, modified } = await readRemoteFileInfo(urlRequester(file.target, this.context), resources);
    if (bytes !== undefined && bytes !== file.bytes) {
      return lost(`the storage has ${groupDigits(bytes)} bytes instead of ${groupDigits(file.bytes)}`);
    }
    const isSized = bytes !== undefined;
    if (isSized && (isNew(modified, file) || file.etags.includes(normalizeEtag(etag)))) return undefined;
    if (!resources.hasher) throw unproven();
    return (await this.#hasSameContent(file)) ? undefined : lost('the volume still has the earlier content');
  }

  async #hasSameContent(file: CompletedFile): Promise<boolean> {
    const { resources, options, command } = this.context;
    if (file.bytes > maxSmallBytes) {
      command.progress.note(
        `reading ${printablePath(file.found.path)} back: the volume shows no time after it was sent`,
      );
    }
    const source = await openSource(file.found, this.context, resources);
    try {
      if (source.mark !== file.mark) throw new UnavailableError('the source file has changed since');
      const content = contentToCompare(file.target, file.bytes, this.context, resources);
      await verifyCopy((part) => source.md5(part), content, planParts(file.bytes, options.partSize), resources);
      return true;
    } catch (error) {
      if (error instanceof CorruptError) return false;
      throw error;
    } finally {
      await source.close();
    }
  }
}

/** Whether a file of this time cannot have been there before. */
function isNew(time: number | undefined, { startedAt, bytes }: CompletedFile): boolean {
  if (time === undefined) return false;
  // Object storage may give a file the time at which its upload was begun, just before the links were signed. Asking
  // about a small file costs too little to make an exception for it.
  const toleranceMs = bytes > maxSmallBytes ? signingMs : 0;
  return time >= Math.floor((startedAt - toleranceMs) / 1000) * 1000;
}

/** A platform may write a name in another Unicode normalization form than the disk does. */
function entryOf({ target }: CompletedFile, entries: ReadonlyMap<string, ListedEntry>): ListedEntry | undefined {
  const name = remoteName(target.path);
  return entries.get(name) ?? entries.get(name.normalize('NFC')) ?? entries.get(name.normalize('NFD'));
}

/** Sending it again may help. */
function lost(fact: string): UnavailableError {
  return new UnavailableError(`the platform confirmed the upload, but ${fact}`, { retryable: true });
}

function unproven(): UnavailableError {
  return new UnavailableError('an earlier file of this size may have been there', {
    why: 'neither the volume nor the storage shows a time after it was sent',
    fix: 'run it again without --no-check: then the content is compared',
    retryable: true,
  });
}

function unconfirmed(error: unknown): unknown {
  if (!(error instanceof GantryError)) return error;
  error.message = `${unconfirmedPrefix}${error.message}`;
  return error;
}
