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
  const { progress, resources, options } = context;
  const small = new TaskQueue(options.concurrency ?? defaultSmallFiles);
  const large = new TaskQueue(maxLargeFiles);
  let fatal: { error: unknown } | undefined;
  const stop = (error: unknown) => {
    fatal ??= { error };
    small.clear();
    large.clear();
  };
  const fail: ReportFailure = (file, error) => {
    if (resources.signal.aborted || isFatal(error)) return stop(error);
    if (isSingleFile) return stop(withPath(file.path, toDiskError(error)));
    progress.fail(file.path, toDiskError(error), file.bytes, isFileSpecific(error));
    if (progress.consecutiveFailures >= maxConsecutiveFailures)
      stop(tooMany(progress.failed.length, toDiskError(error)));
  };
  const copier = createCopier(fail);
  const copy = async (file: FoundFile, order: number) => {
    if (fatal) return;
    try {
      const sized = await resolveSize(file, context, resources);
      if (file.bytes === undefined) progress.sizeKnown(sized.bytes);
      const reason = await copier.skipReason(sized);
      if (reason !== undefined) progress.skip(file.path, reason, sized.bytes);
      else await copyOrList(sized, order, copier, context);
    } catch (error) {
      fail(file, error);
    } finally {
      copier.confirmation?.end(file);
    }
  };
  let order = 0;
  try {
    for await (const found of files) {
      if (fatal) break;
      resources.signal.throwIfAborted();
      progress.found('bytes' in found ? found.bytes : undefined);
      if ('failure' in found) progress.fail(found.path, found.failure);
      else if ('skipped' in found) progress.skipWithNote(found.path, found.skipped);
      else {
        const number = ++order;
        if (typeof found.from === 'string' && isNamedTemporary(basename(found.path))) progress.warnLeftover(found.path);
        copier.confirmation?.expect(found);
        if ((found.bytes ?? 0) > maxSmallBytes) large.add(() => copy(found, number));
        else small.add(() => copy(found, number), placesOf(found, options));
        await small.waitForRoom(maxFilesAhead);
      }
    }
    progress.allFound();
  } catch (error) {
    stop(error);
  }
  await Promise.all([small.waitUntilIdle(), large.waitUntilIdle()]);
  if (!resources.signal.aborted) await copier.confirmation?.finish();
  if (fatal) throw fatal.error;
  resources.signal.throwIfAborted();
}

function placesOf({ bytes }: FoundFile, { concurrency }: CopyContext['options']): number {
  return concurrency === undefined && !(bytes !== undefined && bytes <= onePlaceBytes) ? 2 : 1;
}

async function copyOrList(
  file: SizedFile,
  order: number,
  copier: FileCopier,
  { options, progress }: CopyContext,
): Promise<void> {
  if (options.dryRun) progress.wouldCopy(file.path, file.bytes);
  else await copier.copy(file, order);
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
