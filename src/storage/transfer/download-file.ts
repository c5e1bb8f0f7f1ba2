import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { NewFile, NewSmallFile, type TemporaryNames, toDiskError } from '../../kernel/disk/index.ts';
import { UnavailableError } from '../../kernel/errors.ts';
import { downloadRange } from './download-range.ts';
import { etagCheck, maxInlineHashBytes, md5 } from './hash.ts';
import type { UnfinishedFile } from './journal.ts';
import { bytesOf, forEachPart, type Part, type PartsCopy, partAt } from './parts.ts';
import { RemoteContent } from './remote-content.ts';
import { CorruptError, withDiskErrors } from './storage-errors.ts';
import { maxSmallBytes, type TransferContext } from './transfer-context.ts';

export interface FileDownload extends PartsCopy<UnfinishedFile> {
  target: string;
  /** The absolute path of the target's folder; `target` may be reached through another path. */
  folder: string;
  names: TemporaryNames;
  /** Modification time that the file gets, in ms since 1970. */
  modified: number | undefined;
  createUrl: () => Promise<string>;
  /** Verifies the complete temporary file before it is renamed. Throws if it is wrong. */
  confirm: (path: string) => Promise<void>;
  /** Whether to keep the temporary file after a failure, to resume it by the journal. */
  keep: boolean;
}

/** Renames the file when it is complete and verified. Returns the bytes resumed from a previous attempt. */
export async function downloadFile(download: FileDownload, resources: TransferContext): Promise<number> {
  if (download.plan.bytes <= maxInlineHashBytes && !download.saved) return downloadSmallFile(download, resources);
  const { target, plan, saved, keep, modified } = download;
  const resumed = saved && (await NewFile.reopen(target, saved.attempt.temporary, plan.bytes, download.folder));
  const file = resumed ?? (await createSized(download));
  const previous = resumed ? saved : undefined;
  const attempt = new DownloadAttempt(download, file, resources, previous);
  try {
    await attempt.run();
    await download.confirm(file.path);
    resources.signal.throwIfAborted();
    await file.commit(target, { modified }).catch((cause: unknown) => Promise.reject(toDiskError(cause)));
    return bytesOf(plan, previous?.parts);
  } catch (error) {
    await (keep && attempt.isResumable(error) ? file.keep() : file.discard());
    throw error;
  }
}

/** With thousands of these, a file that is opened early and written later costs more than the request. */
async function downloadSmallFile(download: FileDownload, resources: TransferContext): Promise<number> {
  const { target, plan, names, folder, modified, order } = download;
  const { signal } = resources;
  const content = new RemoteContent(plan.bytes, download.createUrl, resources);
  const whole = Buffer.allocUnsafe(plan.bytes);
  const sink = async (bytes: Buffer, offset: number) => whole.set(bytes, offset);
  await downloadRange({ content, range: partAt(plan, 1), sink, signal, order, hash: false }, resources);
  signal.throwIfAborted();
  if (resources.check) etagCheck(content.version)?.(md5(whole));
  const file = withDiskErrors(() => NewSmallFile.create(target, { names, folder, content: whole, modified }));
  try {
    await download.confirm(file.path);
    signal.throwIfAborted();
    withDiskErrors(() => file.commit(target));
    return 0;
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** Sets the size of a large file first, so that most full disks are detected before the first request. */
async function createSized({ target, folder, names, plan }: FileDownload): Promise<NewFile> {
  const refuse = (cause: unknown) => Promise.reject(toDiskError(cause));
  const file = await NewFile.create(target, { names, folder }).catch(refuse);
  if (plan.bytes <= maxSmallBytes) return file;
  await file.handle.truncate(plan.bytes).catch((cause) => file.discard().then(() => refuse(cause)));
  return file;
}

class DownloadAttempt {
  readonly #content: RemoteContent;
  /** The MD5 of the whole file if it was downloaded in one range. */
  #md5: string | undefined;
  readonly #done: Set<number>;
  #isRecorded: boolean;
  #written: Promise<void> = Promise.resolve();

  constructor(
    private readonly download: FileDownload,
    private readonly file: NewFile,
    private readonly resources: TransferContext,
    saved: FileDownload['saved'],
  ) {
    this.#content = new RemoteContent(download.plan.bytes, download.createUrl, resources, saved?.attempt.version);
    this.#done = new Set(saved?.parts.map(({ number }) => number));
    this.#isRecorded = saved !== undefined;
  }

  /** No request waits for the version that the first response tells: each response is compared with it. */
  async run(): Promise<void> {
    await forEachPart(this.download.plan, this.#done, this.resources, (part, stop) => this.#receive(part, stop));
    await this.#check();
  }

  /** Changed or corrupt content is useless, and a file that is not in the journal would never be removed. */
  isResumable(error: unknown): boolean {
    if (!this.#isRecorded) return false;
    return this.resources.signal.aborted || (error instanceof UnavailableError && !(error instanceof CorruptError));
  }

  async #receive(range: Part, stop: AbortSignal): Promise<void> {
    const { download, resources } = this;
    const sink = (bytes: Buffer, offset: number) => this.#write(bytes, offset);
    const request = { content: this.#content, range, sink, signal: stop, order: download.order };
    this.#md5 = await downloadRange({ ...request, hash: download.plan.count === 1 }, resources);
    if (this.#done.size === 0 && this.#content.version) this.#begun(this.#content.version);
    this.#done.add(range.number);
    download.onPart({ number: range.number });
  }

  #begun(version: string): void {
    const { keep, onStarted } = this.download;
    if (!keep) return;
    this.#isRecorded = true;
    this.file.keepOnExit();
    onStarted({ version, temporary: basename(this.file.absolutePath) });
  }

  /** Writes are sequential: the system locks a file while it is written, and waiting threads would spin. */
  #write(chunk: Buffer, offset: number): Promise<void> {
    const written = this.#written.then(() => writeAll(this.file.handle, chunk, offset));
    this.#written = written.catch(() => {});
    return written;
  }

  async #check(): Promise<void> {
    const { check, hasher } = this.resources;
    const checksum = etagCheck(this.#content.version);
    if (!check || !checksum) return;
    checksum(this.#md5 ?? (await hasher.hashFile(this.file.path, 0, this.download.plan.bytes)));
  }
}

async function writeAll(handle: FileHandle, chunk: Buffer, offset: number): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    at += (await handle.write(chunk, at, chunk.length - at, offset + at)).bytesWritten;
  }
}
