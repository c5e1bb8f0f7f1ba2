import type { FileHandle } from 'node:fs/promises';
import { NewFile, type TemporaryNames, toDiskError } from '../disk/index.ts';
import { UnavailableError } from '../errors.ts';
import { downloadRange } from './download-range.ts';
import { parseEtagChecksum } from './etag-checksum.ts';
import { eachPart, type Part, type PartPlan, partAt } from './parts.ts';
import { RemoteContent } from './remote-content.ts';
import type { TransferResources } from './resources.ts';
import { runWorkers } from './run-workers.ts';
import { CorruptError } from './storage-errors.ts';

export interface FileDownload {
  target: string;
  /** The absolute path of the target's folder, where `target` leads there by another way. */
  folder: string;
  names: TemporaryNames;
  plan: PartPlan;
  /** Milliseconds since 1970; the file gets it as its own. */
  modified: number | undefined;
  /** Gives a new signed link. */
  createUrl: () => Promise<string>;
  /** What an earlier try has left in its temporary file: ranges of this version, which its ETag or its date tells. */
  saved?: { version: string; ranges: number[]; temporary: string } | undefined;
  /** Ranges beyond this are of this version, in the temporary file at this absolute path. */
  onStarted: (version: string, temporary: string) => void;
  onRange: (number: number) => void;
  /** Looks at the whole of what has come, before it gets its name; throws when that is not right. */
  confirm: (path: string) => Promise<void>;
  /** Whether what has come stays, should it fail: only a journal can find it again. */
  keep: boolean;
  order: number;
}

/**
 * Receives a file under a temporary name beside its target, and gives it its name when it is whole and checked. Throws
 * a ChangedError when it became another one meanwhile. Returns how many bytes were there from an earlier try.
 */
export async function downloadFile(receiving: FileDownload, resources: TransferResources): Promise<number> {
  const { target, plan, saved, keep, modified } = receiving;
  const resumed = saved && (await NewFile.reopen(target, saved.temporary, plan.bytes, receiving.folder));
  const file = resumed ?? (await createSized(receiving));
  const left = resumed ? saved : undefined;
  const receipt = new Receipt(receiving, file, resources, left);
  try {
    await receipt.run();
    await receiving.confirm(file.path);
    resources.signal.throwIfAborted();
    await file.commit(target, { modified }).catch((cause: unknown) => Promise.reject(toDiskError(cause)));
    return (left?.ranges ?? []).reduce((sum, number) => sum + partAt(plan, number).length, 0);
  } catch (error) {
    await (keep && receipt.usable(error) ? file.keep() : file.discard());
    throw error;
  }
}

/** Takes its room on the disk at once, so that a full disk is noticed before the first byte is asked for. */
async function createSized({ target, folder, names, plan }: FileDownload): Promise<NewFile> {
  try {
    const file = await NewFile.create(target, { names, folder });
    try {
      await file.handle.truncate(plan.bytes);
      return file;
    } catch (error) {
      await file.discard();
      throw error;
    }
  } catch (cause) {
    throw toDiskError(cause);
  }
}

class Receipt {
  readonly #content: RemoteContent;
  /** Of the whole, where that came in one range. */
  #md5: string | undefined;
  readonly #done: Set<number>;
  #isRecorded: boolean;
  #written: Promise<void> = Promise.resolve();

  constructor(
    private readonly receiving: FileDownload,
    private readonly file: NewFile,
    private readonly resources: TransferResources,
    saved: FileDownload['saved'],
  ) {
    this.#content = new RemoteContent(receiving.plan.bytes, receiving.createUrl, resources, saved?.version);
    this.#done = new Set(saved?.ranges);
    this.#isRecorded = saved !== undefined;
  }

  async run(): Promise<void> {
    const { signal, large } = this.resources;
    const { plan } = this.receiving;
    const missing = this.#missing();
    // The first answer tells which content it is; the others must be of the same.
    if (this.#content.version === undefined) await this.#receiveNext(missing, signal);
    const count = Math.min(large.max, plan.count - this.#done.size);
    await runWorkers(count, signal, (stop) => this.#receiveFrom(missing, stop));
    signal.throwIfAborted();
    await this.#check();
  }

  /**
   * Content that is not the one meant, or not what its ETag says, is of no use to a later try. Neither is a file that
   * no journal names: nobody would ever remove it.
   */
  usable(error: unknown): boolean {
    if (!this.#isRecorded) return false;
    return this.resources.signal.aborted || (error instanceof UnavailableError && !(error instanceof CorruptError));
  }

  *#missing(): Generator<Part> {
    for (const part of eachPart(this.receiving.plan)) if (!this.#done.has(part.number)) yield part;
  }

  async #receiveNext(missing: Generator<Part>, stop: AbortSignal): Promise<boolean> {
    const { value: range, done } = missing.next();
    if (done) return false;
    const { receiving, resources } = this;
    const sink = (bytes: Buffer, offset: number) => this.#write(bytes, offset);
    const request = { content: this.#content, range, sink, signal: stop, order: receiving.order };
    this.#md5 = await downloadRange({ ...request, hash: receiving.plan.count === 1 }, resources);
    if (this.#done.size === 0 && this.#content.version) this.#begun(this.#content.version);
    this.#done.add(range.number);
    receiving.onRange(range.number);
    return true;
  }

  #begun(version: string): void {
    const { keep, onStarted } = this.receiving;
    if (!keep) return;
    this.#isRecorded = true;
    this.file.keepOnExit();
    onStarted(version, this.file.absolutePath);
  }

  /** One after another: the system locks a file while it is written, and those who wait for that lock spin. */
  #write(chunk: Buffer, offset: number): Promise<void> {
    const written = this.#written.then(() => writeAll(this.file.handle, chunk, offset));
    this.#written = written.catch(() => {});
    return written;
  }

  async #receiveFrom(missing: Generator<Part>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.#receiveNext(missing, stop)));
  }

  async #check(): Promise<void> {
    const { hasher } = this.resources;
    const checksum = parseEtagChecksum(this.#content.etag);
    if (!hasher || !checksum) return;
    checksum.verify(this.#md5 ?? (await hasher.hashFile(this.file.path, 0, this.receiving.plan.bytes)));
  }
}

async function writeAll(handle: FileHandle, chunk: Buffer, offset: number): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    at += (await handle.write(chunk, at, chunk.length - at, offset + at)).bytesWritten;
  }
}
