import { basename } from 'node:path';
import { isNamedTemporary, toDiskError } from '../../kernel/disk/index.ts';
import { AuthError, GantryError, LimitError, systemCode } from '../../kernel/errors.ts';
import { maxInlineHashBytes } from '../transfer/hash.ts';
import { maxLarge } from '../transfer/request-limiter.ts';
import { TaskQueue } from '../transfer/task-queue.ts';
import { maxSmallBytes } from '../transfer/transfer-context.ts';
import type { CopyContext } from './copy-context.ts';
import { fileFailureText } from './copy-texts.ts';
import type { FoundEntry, FoundFile, SizedFile } from './found-entry.ts';
import { resolveSize } from './source-content.ts';

/** Copies single files in one direction: to a volume or from one. */
export interface FileCopier {
  /** Why a file is skipped; undefined if it is not. */
  skipReason(file: SizedFile): Promise<string | undefined>;
  /** Copies a file. Of several files in progress, the one with the lowest `order` goes first. */
  copy(file: SizedFile, order: number): Promise<void>;
  /** Set if a copied file counts only once it is confirmed. */
  confirmation?: {
    /** Called for each file, in the order they are found. */
    expect(file: FoundFile): void;
    /** Called when the copy of an expected file has succeeded or failed. */
    end(file: FoundFile): void;
    /** Resolves when all copied files have been confirmed or failed. */
    finish(): Promise<void>;
  };
  /** Releases its resources. */
  close?(): void;
}

/** Counts a file as failed, or ends the copy if every other file would fail with the same error. */
export type ReportFailure = (file: FoundFile, error: unknown) => void;

/** Small files in progress: each takes three requests in sequence, so on a far line their number is the rate. */
const defaultSmallFiles = 128;
/** Half as many of those that do not fit in one buffer: of 128, the blocks would take 40 MB more. */
const onePlaceBytes = maxInlineHashBytes;
/** Large files in progress: those of one part fill the line, too. */
const maxLargeFiles = maxLarge;
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
  createCopier: (fail: ReportFailure) => FileCopier,
  context: CopyContext,
  isSingleFile: boolean,
): Promise<void> {
  const lanes = new CopyLanes(createCopier, context, isSingleFile);
  await lanes.copy(files);
}

class CopyLanes {
  readonly #small: TaskQueue;
  readonly #large = new TaskQueue(maxLargeFiles);
  readonly #copier: FileCopier;
  #fatal: { error: unknown } | undefined;
  #files = 0;

  constructor(
    createCopier: (fail: ReportFailure) => FileCopier,
    private readonly context: CopyContext,
    private readonly isSingleFile: boolean,
  ) {
    this.#small = new TaskQueue(context.options.concurrency ?? defaultSmallFiles);
    this.#copier = createCopier((file, error) => this.#fail(file, error));
  }

  async copy(files: AsyncIterable<FoundEntry>): Promise<void> {
    const { progress, resources } = this.context;
    try {
      for await (const found of files) {
        if (this.#fatal) break;
        resources.signal.throwIfAborted();
        progress.found('bytes' in found ? found.bytes : undefined);
        if ('failure' in found) progress.fail(found.path, found.failure);
        else if ('skipped' in found) progress.skipWithNote(found.path, found.skipped);
        else await this.#add(found);
      }
      progress.allFound();
    } catch (error) {
      this.#stop(error);
    }
    await Promise.all([this.#small.waitUntilIdle(), this.#large.waitUntilIdle()]);
    if (!resources.signal.aborted) await this.#copier.confirmation?.finish();
    if (this.#fatal) throw this.#fatal.error;
    resources.signal.throwIfAborted();
  }

  async #add(found: FoundFile): Promise<void> {
    const { progress, options } = this.context;
    const order = ++this.#files;
    if (typeof found.from === 'string' && isNamedTemporary(basename(found.path))) progress.warnLeftover(found.path);
    this.#copier.confirmation?.expect(found);
    if ((found.bytes ?? 0) > maxSmallBytes) this.#large.add(() => this.#copy(found, order));
    else this.#small.add(() => this.#copy(found, order), placesOf(found, options));
    await this.#small.waitForRoom(maxFilesAhead);
  }

  async #copy(file: FoundFile, order: number): Promise<void> {
    if (this.#fatal) return;
    const { progress, resources, options } = this.context;
    try {
      const sized = await resolveSize(file, this.context, resources);
      if (file.bytes === undefined) progress.sizeKnown(sized.bytes);
      const reason = await this.#copier.skipReason(sized);
      if (reason !== undefined) progress.skip(file.path, reason, sized.bytes);
      else if (options.dryRun) progress.wouldCopy(file.path, sized.bytes);
      else await this.#copier.copy(sized, order);
    } catch (error) {
      this.#fail(file, error);
    } finally {
      this.#copier.confirmation?.end(file);
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

function placesOf({ bytes }: FoundFile, { concurrency }: CopyContext['options']): number {
  return concurrency === undefined && !(bytes !== undefined && bytes <= onePlaceBytes) ? 2 : 1;
}

/** Errors that concern all files: authentication, limits, and bugs. */
function isFatal(error: unknown): boolean {
  if (error instanceof AuthError || error instanceof LimitError) return true;
  const isBug = !(error instanceof GantryError) && systemCode(error) === '';
  return isBug;
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
