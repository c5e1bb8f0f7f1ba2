import { join } from 'node:path';
import {
  claimTarget,
  type Lock,
  nameProbe,
  removeOrphanedFiles,
  TemporaryNames,
  toDiskError,
} from '../../kernel/disk/index.ts';
import { GantryError, InterruptedError, systemCode } from '../../kernel/errors.ts';
import { count } from '../../kernel/output/format.ts';
import { boolean, integer, list, longList, number, type ObjectOf, object, optional, text } from '../../kernel/shape.ts';
import type { Retry } from '../../platform/api/retry.ts';
import { isOverload } from '../../platform/api/transient-failures.ts';
import { platformOf, stateKey } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import { Journal, type JournalProblem } from '../transfer/journal.ts';
import type { TransferContext } from '../transfer/transfer-context.ts';
import type { WebFile } from '../transfer/web-file.ts';
import { whileConnected } from '../volumes/index.ts';
import { copyAll, type ReportFailure } from './copy-all.ts';
import {
  type CopyEnd,
  type CopyEndSource,
  type CopyPaths,
  type CopySource,
  type CopyTarget,
  formatLocation,
  inspectSource,
  resolveTarget,
} from './copy-paths.ts';
import { CopyProgress, failedFileFields } from './copy-progress.ts';
import { distinctNames, volumeNames } from './distinct-names.ts';
import { findSourceFiles } from './find-source-files.ts';
import type { CopyContext, CopyOptions, FoundEntry, FoundFile } from './ports.ts';
import { LocalPlace } from './to-folder.ts';
import { VolumePlace } from './to-volume.ts';
import { webFileSize } from './web-content.ts';

export const copySummaryFields = {
  from: list(text('path'), 'sources'),
  to: text('target'),
  files: integer('number of copied files'),
  bytes: integer('total size of the copied files'),
  skipped: integer('number of skipped files'),
  failed: list(object(failedFileFields), 'path, reason and code of each failed file'),
  resumedBytes: integer('bytes resumed from a previous attempt'),
  verifiedFiles: optional(integer('with --verify: number of files that were read back and compared')),
  equalFiles: optional(integer('how many of them are unchanged by their checksums')),
  durationMs: number('duration, in ms'),
  dryRun: boolean('true for a dry run: nothing was copied'),
  paths: optional(longList(text('path'), 'with --dry-run: files that would be copied')),
};
export type CopySummary = ObjectOf<typeof copySummaryFields>;

/**
 * Copies files between this machine and volumes, or from volume to volume through this machine. Failed files are listed
 * in the result; if the only source is a file, its error is thrown.
 */
export async function copy(
  context: Context,
  { sources, target }: CopyPaths,
  options: CopyOptions,
): Promise<CopySummary> {
  const inspected: CopySource[] = [];
  for (const source of sources)
    if (source.kind !== 'stream') inspected.push(await inspectSource(source, context, target));
  const resolved = await resolveTarget(target as CopyEnd, inspected, context);
  const isSingleFile = inspected.length === 1 && inspected[0]?.isFolder === false;
  const { folder, name } = resolved;
  const find = ({ api, project, resources }: CopyContext) => {
    const [only] = inspected;
    if (only?.location.kind === 'web') return webFile(only.location.web, name ?? only.name, resources);
    const ends = inspected as CopyEndSource[];
    const files = findSourceFiles(ends, name, options, { api, project, settings: context.settings });
    if (isSingleFile) return files;
    const [path, disk] = folder.kind === 'local' ? [folder.path, nameProbe] : [formatLocation(folder), volumeNames];
    return distinctNames(files, path, disk, mayOverlap(ends) || disk.mergesNames(path));
  };
  const from = sources.map(formatLocation);
  const to = formatLocation(target);
  const summary = await copyFiles(context, { from, to, find, target: resolved, isSingleFile }, options);
  if (options.include.length > 0 && summary.files + summary.skipped + summary.failed.length === 0)
    context.progress.note(`no file matches --include ${options.include.join(' or ')}`);
  return summary;
}

/** Whether sources may have files of one path: two of one name, or the root of a disk beside others. */
function mayOverlap(ends: readonly CopyEndSource[]): boolean {
  const names = ends.map(({ name }) => name);
  return new Set(names).size < names.length || (names.length > 1 && names.includes(''));
}

async function* webFile(web: WebFile, path: string, resources: TransferContext): AsyncGenerator<FoundFile> {
  yield { path, ...(await webFileSize(web, resources)), from: web };
}

export interface CopyRequest {
  from: string[];
  to: string;
  find: (context: CopyContext) => AsyncIterable<FoundEntry>;
  target: CopyTarget;
  /** The only source is a file: if it fails, its error is thrown. */
  isSingleFile: boolean;
}

export async function copyFiles(context: Context, request: CopyRequest, options: CopyOptions): Promise<CopySummary> {
  return inTurn(context, request, options, (turn) => copyInTurn(context, request, options, turn));
}

/** What a command holds from its first look at the target to its last write there. */
interface Turn {
  names: TemporaryNames;
  /** Undefined if the copy keeps none. */
  journal: Journal | undefined;
}

/**
 * Runs `work` while no other command writes to the same local target, and none with the same sources and target is at
 * work. The journal is kept for the next attempt if the work fails or a file did.
 */
export async function inTurn<Result extends Pick<CopySummary, 'failed'>>(
  context: Context,
  { from, to, target }: Omit<CopyRequest, 'find' | 'isSingleFile'>,
  options: CopyOptions,
  work: (turn: Turn) => Promise<Result>,
): Promise<Result> {
  const { state } = context.settings.folders;
  const claim = options.dryRun ? undefined : await claimLocal(context, target);
  const names = new TemporaryNames(state);
  let journal: Journal | undefined;
  let isComplete = false;
  try {
    if (options.keepJournal && !options.dryRun) journal = await openJournal(context, [...from, to], !options.resume);
    const result = await work({ names, journal });
    isComplete = result.failed.length === 0;
    return result;
  } finally {
    await journal?.close(isComplete);
    names.close();
    removeOrphanedFiles(state);
    claim?.release();
  }
}

export async function copyInTurn(
  context: Context,
  { from, to, find, target: { folder }, isSingleFile }: CopyRequest,
  options: CopyOptions,
  { names, journal }: Turn,
): Promise<CopySummary> {
  const { progress, interruption, signal } = context;
  const copyProgress = new CopyProgress(context);
  const saved = [...(journal?.saved.values() ?? [])];
  if (saved.some(({ parts, times }) => times || parts.length > 0)) progress.note('resuming the previous copy');
  if (journal)
    interruption.message = 'stopping; finished files and parts are kept: run the same command again to resume';
  copyProgress.start(options.dryRun ? 'Finding files' : 'Copying');
  const summary = (): CopySummary => {
    const { files, bytes, skipped, failed, resumedBytes, equal, durationMs, planned } = copyProgress;
    const verified = options.verify && { equalFiles: equal, verifiedFiles: equal + (options.dryRun ? 0 : files) };
    const counts = { files, bytes, skipped, failed, resumedBytes, ...verified, durationMs };
    return { from, to, ...counts, ...(options.dryRun ? { dryRun: true, paths: planned } : { dryRun: false }) };
  };
  try {
    const work = async (resources: TransferContext) => {
      const shared = await withApis({ resources, progress: copyProgress, journal, options, command: context });
      const open = (fail: ReportFailure) =>
        folder.kind === 'remote'
          ? new VolumePlace(shared, folder.at, fail)
          : new LocalPlace(shared, folder.path, names);
      await copyAll(find(shared), open, shared, isSingleFile);
    };
    const { concurrency, limitRate, check, verify } = options;
    await whileConnected(context, work, {
      onRetry: copyProgress.retried.bind(copyProgress),
      onBytes: copyProgress.transferred.bind(copyProgress),
      concurrency,
      limitRate,
      check: check || verify,
    });
  } catch (error) {
    throw signal.aborted
      ? interrupted(signal, summary(), copyProgress.files + copyProgress.sentFiles, journal !== undefined)
      : withSummary(error, summary());
  } finally {
    copyProgress.finish();
  }
  return summary();
}

/**
 * Commands that write to the same local files take turns. Without a writable state folder they run side by side; each
 * file is still put in place as a whole.
 */
async function claimLocal(context: Context, { folder, name }: CopyTarget): Promise<Lock | undefined> {
  if (folder.kind === 'remote') return undefined;
  const { progress, settings, delay } = context;
  const path = name === undefined ? folder.path : join(folder.path, name);
  const onWait = (pid: number) =>
    progress.note(`waiting for another gantry (process ${pid}) that is writing to ${path}`);
  const kind = name === undefined ? 'folder' : 'file';
  return claimTarget(settings.folders.state, { path, kind, delay, onWait }).catch((error: unknown) => {
    if (error instanceof GantryError) throw error;
    return undefined;
  });
}

async function withApis(shared: Omit<CopyContext, 'api' | 'sourceApi' | 'project'>): Promise<CopyContext> {
  const { command, resources, progress } = shared;
  const { createPooledSend } = await import('../../platform/api/dispatch.ts');
  const onRetry = (retry: Retry) => {
    if (isOverload(retry.reason)) resources.requests.reduce();
    progress.retried(retry);
  };
  const apiOn = (dispatcher: TransferContext['dispatcher']) =>
    command.apiWithSignal(command.signal, onRetry, createPooledSend(dispatcher));
  const sourceApi = apiOn(resources.sourceDispatcher);
  return { ...shared, api: apiOn(resources.dispatcher), sourceApi, project: command.project };
}

async function openJournal(
  { settings, project, progress }: Context,
  paths: string[],
  ignoreSaved: boolean,
): Promise<Journal> {
  const key = stateKey(platformOf(settings), project, settings.region.value ?? '', ...paths);
  const warn = (problem: JournalProblem) => {
    if (problem.is === 'damaged') progress.warn(`${problem.path} is damaged; starting over`);
    else progress.note(`if interrupted, this copy cannot be resumed: ${unwritableText(problem)}`);
  };
  return Journal.open(settings.folders.state, key, { ignoreSaved, warn });
}

function unwritableText({ folder, cause }: { folder: string; cause: unknown }): string {
  const isMissing = systemCode(cause) === 'ENOENT';
  const why = isMissing ? 'the folder does not exist and cannot be created' : toDiskError(cause).message;
  return `cannot write to ${folder}: ${why}`;
}

/** Some of the files that were `sent` may not be listed yet. */
function interrupted(signal: AbortSignal, summary: CopySummary, sent: number, isResumable: boolean): InterruptedError {
  const reason = signal.reason as InterruptedError;
  const fix = isResumable ? { fix: 'run the same command again to resume' } : {};
  const name = reason.exit === 'terminated' ? 'SIGTERM' : 'SIGINT';
  return new InterruptedError(`interrupted after ${count(sent, 'file')}`, name, { ...fix, details: { ...summary } });
}

function withSummary(error: unknown, summary: CopySummary): unknown {
  if (error instanceof GantryError) error.facts.details ??= { ...summary };
  return error;
}
