import { join } from 'node:path';
import type { Retry } from '../../api/retry.ts';
import type { Context } from '../../context.ts';
import { claimTarget, removeOrphanedFiles, type TargetClaim, TemporaryNames, toDiskError } from '../../disk/index.ts';
import { GantryError, InterruptedError } from '../../errors.ts';
import { count } from '../../output/format.ts';
import { Journal, type JournalProblem } from '../../transfer/journal.ts';
import { type TransferResources, withTransferResources } from '../../transfer/resources.ts';
import { copyAll, type FileCopier, type ReportFailure } from './copy-all.ts';
import type { CopyContext } from './copy-context.ts';
import type { CopyOptions } from './copy-options.ts';
import {
  type CopyLocation,
  type CopyPaths,
  type CopySource,
  type CopyTarget,
  formatLocation,
  inspectSource,
  resolveTarget,
} from './copy-paths.ts';
import { CopyProgress, type FailedFile, type RenamedEntry } from './copy-progress.ts';
import { distinctNames } from './distinct-names.ts';
import { Downloader } from './downloader.ts';
import { findSourceFiles } from './find-source-files.ts';
import type { FoundEntry } from './found-entry.ts';
import { TargetFolder } from './target-folder.ts';
import { Uploader } from './uploader.ts';

/** How a copy went. */
export interface CopySummary {
  from: string[];
  to: string;
  files: number;
  bytes: number;
  skipped: number;
  failed: FailedFile[];
  /** Files and folders that got another name here: the disk does not tell theirs apart. */
  renamed: RenamedEntry[];
  /** Of the bytes, those that an earlier try had copied. */
  resumedBytes: number;
  seconds: number;
  /** Nothing was copied: this is what would be. */
  dryRun: boolean;
}

/**
 * Copies files between this machine and volumes, or from volume to volume through this machine. A file that fails is
 * part of the answer; when it was the only one its error is thrown.
 */
export async function copy(
  context: Context,
  { sources, target }: CopyPaths,
  options: CopyOptions,
): Promise<CopySummary> {
  const places = sources.filter((place) => place.kind !== 'stream');
  const looked: CopySource[] = [];
  for (const place of places) looked.push(await inspectSource(place, context));
  const settled = await resolveTarget(target as Exclude<CopyLocation, { kind: 'stream' }>, looked, context);
  const names = { from: sources.map(formatLocation), to: formatLocation(target) };
  const isAlone = looked.length === 1 && looked[0]?.isFolder === false;
  const { folder } = settled;
  const find = (job: CopyContext) => {
    const files = findSourceFiles(looked, settled.name, options, { ...job, settings: context.settings });
    if (folder.kind === 'remote' || isAlone) return files;
    const onRenamed = job.progress.fileRenamed.bind(job.progress);
    return distinctNames(files, folder.path, { renames: options.renameClashes, allFirst: false, onRenamed });
  };
  return copyFiles(context, { ...names, find, target: settled, isAlone }, options);
}

export interface CopyRequest {
  from: string[];
  to: string;
  find: (job: CopyContext) => AsyncIterable<FoundEntry>;
  target: CopyTarget;
  /** One file was named: if it fails, that is how the command ends. */
  isAlone: boolean;
}

/** Copies what `find` finds. */
export async function copyFiles(context: Context, copying: CopyRequest, options: CopyOptions): Promise<CopySummary> {
  const { state } = context.settings.folders;
  const claim = options.dryRun ? undefined : await claimLocal(context, copying.target);
  const names = new TemporaryNames(state);
  try {
    return await copyClaimed(context, copying, options, names);
  } finally {
    names.close();
    removeOrphanedFiles(state);
    claim?.release();
  }
}

async function copyClaimed(
  context: Context,
  { from, to, find, target, isAlone }: CopyRequest,
  options: CopyOptions,
  names: TemporaryNames,
): Promise<CopySummary> {
  const { progress, interruption, signal } = context;
  const tally = new CopyProgress(context);
  const remember = options.remember && !options.dryRun;
  const journal = remember ? await openJournal(context, [...from, to], !options.continue) : undefined;
  if (journal && journal.saved.size > 0) progress.note('going on where an earlier try has ended');
  if (remember)
    interruption.message = 'stopping; finished files and parts are kept: run the same command again to resume';
  tally.start(options.dryRun ? 'Looking' : 'Copying');
  const summary = (): CopySummary => {
    const { files, bytes, skipped, failed, renamed, resumedBytes, seconds } = tally;
    return { from, to, files, bytes, skipped, failed, renamed, resumedBytes, seconds, dryRun: options.dryRun };
  };
  let isWhole = false;
  try {
    await withTransferResources(engineOptions(context, options, tally), async (resources) => {
      const job = await createCopyContext(context, options, tally, journal, resources);
      const opened: FileCopier[] = [];
      const open = (fail: ReportFailure) => {
        const way = createCopier(target, job, fail, names);
        opened.push(way);
        return way;
      };
      await copyAll(find(job), open, job, isAlone).finally(() => opened.map((way) => way.close?.()));
    });
    isWhole = tally.failed.length === 0;
  } catch (error) {
    throw signal.aborted ? interrupted(signal, summary(), remember) : withSummary(error, summary());
  } finally {
    tally.finish();
    await journal?.close(isWhole);
  }
  return summary();
}

function createCopier(
  { folder }: CopyTarget,
  job: CopyContext,
  fail: ReportFailure,
  names: TemporaryNames,
): FileCopier {
  if (folder.kind === 'remote') return new Uploader(job, folder.at, fail);
  return new Downloader(job, new TargetFolder(folder.path), names);
}

/** Two commands that write to the same files take turns. Without a state folder each still puts whole files in place. */
async function claimLocal(context: Context, { folder, name }: CopyTarget): Promise<TargetClaim | undefined> {
  if (folder.kind === 'remote') return undefined;
  const { progress, settings, delay } = context;
  const path = name === undefined ? folder.path : join(folder.path, name);
  const onWait = (pid: number) => progress.note(`waiting for another gantry (process ${pid}) that writes to ${path}`);
  const claiming = { path, kind: name === undefined ? ('folder' as const) : ('file' as const), delay, onWait };
  return claimTarget(settings.folders.state, claiming).catch((error: unknown) => {
    if (error instanceof GantryError) throw error;
    return undefined;
  });
}

async function createCopyContext(
  context: Context,
  options: CopyOptions,
  tally: CopyProgress,
  journal: CopyContext['journal'],
  resources: TransferResources,
): Promise<CopyContext> {
  const { createPooledSend } = await import('../../api/dispatch.ts');
  const onRetry = (retry: Retry) => {
    const { status } = retry.reason.facts;
    if (status === 429 || status === 503) resources.small.reduce();
    tally.retried(retry);
  };
  const api = context.apiWithSignal(context.signal, onRetry, createPooledSend(resources.dispatcher));
  return { api, project: context.project, resources, progress: tally, journal, options, command: context };
}

function engineOptions(context: Context, options: CopyOptions, tally: CopyProgress) {
  const { signal, now, elapsed, settings, silenceMs } = context;
  return {
    ...{ signal, now, elapsed, silenceMs, proxy: settings.proxy },
    delay: (ms: number) => context.delay(ms),
    onRetry: tally.retried.bind(tally),
    onBytes: tally.transferred.bind(tally),
    concurrency: options.concurrency,
    limitRate: options.limitRate,
    check: options.check || options.verify,
  };
}

async function openJournal(
  { settings, project, progress }: Context,
  places: string[],
  forget: boolean,
): Promise<Journal> {
  const key = [project, settings.region.value ?? '', ...places];
  const warn = (problem: JournalProblem) => {
    if (problem.is === 'damaged') progress.warn(`${problem.path} is damaged: the copy starts over`);
    else progress.note(`if interrupted, this copy cannot be resumed: ${unwritable(problem)}`);
  };
  return Journal.open(settings.folders.state, key, { ignoreSaved: forget, warn });
}

function unwritable({ folder, cause }: { folder: string; cause: unknown }): string {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
  const why = isMissing ? 'there is no such folder, and it cannot be made' : toDiskError(cause).message;
  return `${folder} cannot be written to: ${why}`;
}

function interrupted(signal: AbortSignal, summary: CopySummary, remembered: boolean): InterruptedError {
  const reason = signal.reason as InterruptedError;
  const fix = remembered ? { fix: 'run the same command again to resume' } : {};
  const name = reason.exit === 'terminated' ? 'SIGTERM' : 'SIGINT';
  return new InterruptedError(`interrupted after ${count(summary.files, 'file')}`, name, {
    ...fix,
    details: { ...summary },
  });
}

function withSummary(error: unknown, summary: CopySummary): unknown {
  if (error instanceof GantryError) error.facts.details ??= { ...summary };
  return error;
}
