import { basename } from 'node:path';
import { isNamedTemporary, toDiskError } from '../../disk/index.ts';
import { AuthError, GantryError, LimitError } from '../../errors.ts';
import { maxSmallBytes } from '../../transfer/resources.ts';
import { TaskQueue } from '../../transfer/task-queue.ts';
import type { CopyContext } from './copy-context.ts';
import { failureText } from './copy-progress.ts';
import type { FoundEntry, FoundFile, SizedFile } from './found-entry.ts';
import { resolveSize } from './source-content.ts';

/** One way of copying files: to a volume, or from one. */
export interface FileCopier {
  /** Why a file is left out; undefined when it is not. */
  skipReason(file: SizedFile): Promise<string | undefined>;
  /** Copies it. `order` says which of several begun files is ended first. */
  copy(file: SizedFile, order: number): Promise<void>;
  /** Set where a copied file is only counted once it was looked up. */
  confirmation?: {
    /** Called for each file, in the order in which they are found. */
    expect(file: FoundFile): void;
    /** Called when the copy of an expected file has ended, well or not. */
    end(file: FoundFile): void;
    /** Resolves when all copied files were looked up. */
    finish(): Promise<void>;
  };
  /** Lets go of what it holds, when all files are copied. */
  close?(): void;
}

/** Counts a file as failed, or ends the copy where that error would meet every file. */
export type ReportFailure = (file: FoundFile, error: unknown) => void;

/** Small files at the same time: each is three requests, one after the other. */
const usualSmall = 64;
/** Large files at the same time. How many of their parts are on their way is another matter. */
const mostLarge = 16;
/** Small files found ahead of those being copied, so that large ones behind them are found early. */
const foundAhead = 1_000;
/** So many failures of one kind without a success in between: the others would fail as well. */
const mostInARow = 32;

/**
 * Copies files while they are being found: small ones and large ones each in a lane of their own, so that neither waits
 * for the other. A file that fails is counted, and the others go on, unless it is the only one that was named (`isAlone`)
 * or what no file can overcome: those are thrown.
 */
export async function copyAll(
  files: AsyncIterable<FoundEntry>,
  wayTo: (fail: ReportFailure) => FileCopier,
  context: CopyContext,
  isAlone: boolean,
): Promise<void> {
  const { progress, resources, options } = context;
  const small = new TaskQueue(options.concurrency ?? usualSmall);
  const large = new TaskQueue(mostLarge);
  let fatal: { error: unknown } | undefined;
  const stop = (error: unknown) => {
    fatal ??= { error };
    small.clear();
    large.clear();
  };
  const fail: ReportFailure = (file, error) => {
    if (resources.signal.aborted || isFatal(error)) return stop(error);
    if (isAlone) return stop(named(file.path, toDiskError(error)));
    progress.fail(file.path, toDiskError(error), file.bytes, isOfOneFile(error));
    if (progress.consecutiveFailures >= mostInARow) stop(tooMany(progress.failed.length, toDiskError(error)));
  };
  const way = wayTo(fail);
  const copy = async (file: FoundFile, order: number) => {
    if (fatal) return;
    try {
      const sized = await resolveSize(file, context, resources);
      if (file.bytes === undefined) progress.sizeKnown(sized.bytes);
      const reason = await way.skipReason(sized);
      if (reason !== undefined) progress.skip(file.path, reason, sized.bytes);
      else await copyOrList(sized, order, way, context);
    } catch (error) {
      fail(file, error);
    } finally {
      way.confirmation?.end(file);
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
        way.confirmation?.expect(found);
        ((found.bytes ?? 0) > maxSmallBytes ? large : small).add(() => copy(found, number));
        await small.waitForRoom(foundAhead);
      }
    }
    progress.allFound();
  } catch (error) {
    stop(error);
  }
  await Promise.all([small.waitUntilIdle(), large.waitUntilIdle()]);
  if (!resources.signal.aborted) await way.confirmation?.finish();
  if (fatal) throw fatal.error;
  resources.signal.throwIfAborted();
}

async function copyOrList(
  file: SizedFile,
  order: number,
  way: FileCopier,
  { options, progress }: CopyContext,
): Promise<void> {
  if (options.dryRun) progress.wouldCopy(file.path, file.bytes);
  else await way.copy(file, order);
}

/** What is wrong with all files: no token, no money; or with us. */
function isFatal(error: unknown): boolean {
  if (error instanceof AuthError || error instanceof LimitError) return true;
  const isOurs = !(error instanceof GantryError) && typeof (error as NodeJS.ErrnoException)?.code !== 'string';
  return isOurs;
}

function named(path: string, error: GantryError): GantryError {
  error.message = failureText(path, error);
  return error;
}

function tooMany(failed: number, last: GantryError): GantryError {
  last.facts.why = `${failed} files failed, the last ${mostInARow} of them in the same way`;
  return last;
}

/** Permissions and missing files of this machine say nothing about the other files. */
function isOfOneFile(error: unknown): boolean {
  const cause = error instanceof GantryError ? error.facts.cause : error;
  return ['EACCES', 'EPERM', 'ENOENT'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}
