import { toDiskError } from '../../kernel/disk/index.ts';
import { AuthError, GantryError, LimitError, systemCode } from '../../kernel/errors.ts';
import { maxInlineHashBytes } from '../transfer/hash.ts';
import { maxLarge } from '../transfer/request-limiter.ts';
import { TaskQueue } from '../transfer/task-queue.ts';
import { maxSmallBytes } from '../transfer/transfer-context.ts';
import { FileCopy } from './copy-file.ts';
import { fileFailureText } from './copy-progress.ts';
import type { CopyContext, FoundEntry, FoundFile, TargetPlace } from './ports.ts';

/** Counts a file as failed, or ends the copy if every other file would fail with the same error. */
export type ReportFailure = (file: FoundFile, error: unknown) => void;

/** Small files in progress: each takes three requests in sequence, so on a far line their number is the rate. */
const defaultSmallFiles = 128;
/** Small files found ahead of those being copied, so that large ones behind them start early. */
const maxFilesAhead = 1_000;
/** Consecutive failures of one kind that end the copy: the other files would fail too. */
const maxConsecutiveFailures = 32;

/**
 * Copies files while they are being found: small ones and large ones each in a lane of their own, so that neither waits
 * for the other. Counts failed files and continues. Throws the error of a single file (`isSingleFile`), and errors that
 * every other file would meet.
 */
export async function copyAll(
  files: AsyncIterable<FoundEntry>,
  openPlace: (fail: ReportFailure) => TargetPlace,
  context: CopyContext,
  isSingleFile: boolean,
): Promise<void> {
  await new CopyLanes(openPlace, context, isSingleFile).copy(files);
}

class CopyLanes {
  readonly #small: TaskQueue;
  /** Large files in progress: those of one part fill the line, too. */
  readonly #large = new TaskQueue(maxLarge);
  readonly #place: TargetPlace;
  #fatal: { error: unknown } | undefined;
  #files = 0;

  constructor(
    openPlace: (fail: ReportFailure) => TargetPlace,
    private readonly context: CopyContext,
    private readonly isSingleFile: boolean,
  ) {
    this.#small = new TaskQueue(context.options.concurrency ?? defaultSmallFiles);
    this.#place = openPlace((file, error) => this.#fail(file, error));
  }

  async copy(files: AsyncIterable<FoundEntry>): Promise<void> {
    const { progress, resources } = this.context;
    try {
      for await (const entry of files) {
        if (this.#fatal) break;
        resources.signal.throwIfAborted();
        progress.found('bytes' in entry ? entry.bytes : undefined);
        if ('failure' in entry) progress.fail(entry.path, entry.failure);
        else if ('skipped' in entry) progress.skipWithNote(entry.path, entry.skipped);
        else await this.#add(entry);
      }
      progress.isComplete = true;
    } catch (error) {
      this.#stop(error);
    }
    await Promise.all([this.#small.waitUntilIdle(), this.#large.waitUntilIdle()]);
    try {
      if (!resources.signal.aborted) await this.#place.finish?.();
    } finally {
      this.#place.close?.();
    }
    if (this.#fatal) throw this.#fatal.error;
    resources.signal.throwIfAborted();
  }

  async #add(file: FoundFile): Promise<void> {
    const { options } = this.context;
    const order = ++this.#files;
    this.#place.expect?.(file);
    if (file.bytes > maxSmallBytes) this.#large.add(() => this.#copy(file, order));
    else {
      // Of 128 that do not fit in one buffer, the blocks would take 40 MB more.
      const places = options.concurrency === undefined && file.bytes > maxInlineHashBytes ? 2 : 1;
      this.#small.add(() => this.#copy(file, order), places);
    }
    await this.#small.waitForRoom(maxFilesAhead);
  }

  async #copy(file: FoundFile, order: number): Promise<void> {
    if (this.#fatal) return;
    try {
      await new FileCopy(order, this.#place, this.context).run(file);
    } catch (error) {
      this.#fail(file, error);
    } finally {
      this.#place.end?.(file);
    }
  }

  #fail(file: FoundFile, error: unknown): void {
    const { progress, resources } = this.context;
    const failure = toDiskError(error);
    if (resources.signal.aborted || isFatal(error)) this.#stop(error);
    else if (this.isSingleFile) this.#stop(withPath(file.path, failure));
    else {
      progress.fail(file.path, failure, file.bytes, isFileSpecific(error));
      if (progress.consecutiveFailures >= maxConsecutiveFailures) this.#stop(tooMany(progress.failed.length, failure));
    }
  }

  #stop(error: unknown): void {
    this.#fatal ??= { error };
    this.#small.clear();
    this.#large.clear();
  }
}

/** Errors that concern all files: authentication, limits, and bugs. */
function isFatal(error: unknown): boolean {
  if (!(error instanceof GantryError)) return systemCode(error) === '';
  return error instanceof AuthError || error instanceof LimitError;
}

function withPath(path: string, error: GantryError): GantryError {
  error.message = fileFailureText(path, error);
  return error;
}

function tooMany(failed: number, last: GantryError): GantryError {
  last.facts.why = `${failed} files failed, the last ${maxConsecutiveFailures} with the same error`;
  return last;
}

/** A missing local file or permission does not affect the other files. */
function isFileSpecific(error: unknown): boolean {
  const cause = error instanceof GantryError ? error.facts.cause : error;
  return ['EACCES', 'EPERM', 'ENOENT'].includes(systemCode(cause));
}
