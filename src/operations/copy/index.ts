import type { Retry } from '../../api/retry.ts';
import type { Context } from '../../context.ts';
import { GantryError, InterruptedError } from '../../errors.ts';
import { count } from '../../output/words.ts';
import { diskFailure } from '../../transfer/disk.ts';
import { type Engine, withEngine } from '../../transfer/engine.ts';
import { Journal } from '../../transfer/journal.ts';
import { copyAll, type Way } from './copy-all.ts';
import { distinctNames } from './distinct-names.ts';
import { Download } from './download.ts';
import { findFiles } from './find-files.ts';
import type { Found } from './found.ts';
import type { Job } from './job.ts';
import type { CopyOptions } from './options.ts';
import { absolute, lookAt, type Place, type Source, settleTarget, type Target, type Words } from './places.ts';
import { SafeFolder } from './safe-folder.ts';
import { type Failure, type Renamed, Tally } from './tally.ts';
import { Upload } from './upload.ts';

/** How a copy went. */
export interface CopySummary {
  from: string[];
  to: string;
  files: number;
  bytes: number;
  skipped: number;
  failed: Failure[];
  /** Files and folders that got another name here: the disk does not tell theirs apart. */
  renamed: Renamed[];
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
export async function copy(context: Context, { sources, target }: Words, options: CopyOptions): Promise<CopySummary> {
  const places = sources.filter((place) => place.kind !== 'stream');
  const looked: Source[] = [];
  for (const place of places) looked.push(await lookAt(place, context));
  const settled = await settleTarget(target as Exclude<Place, { kind: 'stream' }>, looked, context);
  const names = { from: sources.map(absolute), to: absolute(target) };
  const isAlone = looked.length === 1 && looked[0]?.isFolder === false;
  const { folder } = settled;
  const find = (job: Job) => {
    const files = findFiles(looked, settled.name, options, job);
    if (folder.kind === 'remote' || isAlone) return files;
    const onRenamed = job.tally.rename.bind(job.tally);
    return distinctNames(files, folder.path, { renames: options.renameClashes, allFirst: false, onRenamed });
  };
  return copyFound(context, { ...names, find, target: settled, isAlone }, options);
}

export interface Copying {
  from: string[];
  to: string;
  find: (job: Job) => AsyncIterable<Found>;
  target: Target;
  /** One file was named: if it fails, that is how the command ends. */
  isAlone: boolean;
}

/** Copies what `find` finds. */
export async function copyFound(
  context: Context,
  { from, to, find, target, isAlone }: Copying,
  options: CopyOptions,
): Promise<CopySummary> {
  const { progress, interruption, signal } = context;
  const tally = new Tally(context);
  const remember = options.remember && !options.dryRun;
  const journal = remember ? await openJournal(context, [...from, to], !options.continue) : undefined;
  if (journal && journal.saved.size > 0) progress.note('going on where an earlier try has ended');
  if (remember) interruption.says = 'stopping; what was copied is kept: the same command goes on from there';
  tally.begin(options.dryRun ? 'Looking' : 'Copying');
  const summary = (): CopySummary => {
    const { files, bytes, skipped, failed, renamed, resumedBytes, seconds } = tally;
    return { from, to, files, bytes, skipped, failed, renamed, resumedBytes, seconds, dryRun: options.dryRun };
  };
  let isWhole = false;
  try {
    await withEngine(engineOptions(context, options, tally), async (engine) => {
      const job = await jobOf(context, options, tally, journal, engine);
      const way = wayTo(target, job);
      await copyAll(find(job), way, job, isAlone).finally(() => way.close?.());
    });
    isWhole = tally.failed.length === 0;
  } catch (error) {
    throw signal.aborted ? interrupted(signal, summary(), remember) : withSummary(error, summary());
  } finally {
    tally.end();
    await journal?.close(isWhole);
  }
  return summary();
}

function wayTo({ folder }: Target, job: Job): Way {
  return folder.kind === 'remote' ? new Upload(job, folder.at) : new Download(job, new SafeFolder(folder.path));
}

async function jobOf(
  context: Context,
  options: CopyOptions,
  tally: Tally,
  journal: Job['journal'],
  engine: Engine,
): Promise<Job> {
  const { sendOver } = await import('../../api/proxied.ts');
  const onRetry = (retry: Retry) => {
    const { status } = retry.reason.facts;
    if (status === 429 || status === 503) engine.small.narrow();
    tally.retried(retry);
  };
  const api = context.apiUntil(context.signal, onRetry, sendOver(engine.dispatcher));
  return { api, project: context.project, engine, tally, journal, options, context };
}

function engineOptions(context: Context, options: CopyOptions, tally: Tally) {
  const { signal, now, settings, silenceMs } = context;
  return {
    ...{ signal, now, silenceMs, proxy: settings.proxy },
    delay: (ms: number) => context.delay(ms),
    onRetry: tally.retried.bind(tally),
    onBytes: tally.moved.bind(tally),
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
  const complain = (cause: unknown) => {
    progress.note(`this copy could not be continued, should it be cut off: ${diskFailure(cause).message}`);
  };
  return Journal.open(settings.folders.state, key, { forget, complain });
}

function interrupted(signal: AbortSignal, summary: CopySummary, remembered: boolean): InterruptedError {
  const reason = signal.reason as InterruptedError;
  const fix = remembered ? { fix: 'the same command goes on from here' } : {};
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
