import { rmdir, unlink } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { gantryCommand, quoteForShell, sentence } from '../../kernel/command-line.ts';
import { type OpenedFolder, OpenedFolders, toDiskError } from '../../kernel/disk/index.ts';
import { ConflictError, type GantryError, systemCode, UsageError } from '../../kernel/errors.ts';
import { inLane, onceFor } from '../../kernel/once.ts';
import { count, fileSummary, groupDigits, printablePath } from '../../kernel/output/format.ts';
import type { PackedList } from '../../kernel/packed-list.ts';
import { boolean, integer, longList, type ObjectOf, optional, text } from '../../kernel/shape.ts';
import type { Context } from '../../platform/context.ts';
import {
  type CopyEndSource,
  type CopyLocation,
  type CopyOptions,
  type CopyPaths,
  type CopySummary,
  type CopyTarget,
  copyInTurn,
  copySummaryFields,
  type FailedFile,
  type FoundFile,
  formatLocation,
  inspectSource,
  inTurn,
  maxListedPaths,
  resolveTarget,
  typedLocation,
} from '../copy/index.ts';
import { joinRemotePath, spellingsOf, withTrailingSlash } from '../transfer/remote-path.ts';
import {
  deletePaths,
  formatRemotePath,
  listNames,
  singleLine,
  type VolumeContext,
  type VolumePath,
} from '../volumes/index.ts';
import { compare, type Difference } from './compare.ts';

export interface SyncOptions extends CopyOptions {
  delete: boolean;
  /** The target's name, as confirmation; undefined: ask. */
  confirm: string | undefined;
}

/** The result of a sync; with a dry run, what it would do. */
export const syncSummaryFields = {
  ...copySummaryFields,
  new: integer('number of files that were only in the source'),
  updated: integer('number of files that differed in size or, with --verify, in content, or were older in the target'),
  unchanged: integer('number of unchanged files'),
  extra: integer('number of files that were only in the target'),
  deleted: integer('number of deleted files'),
  changed: boolean('whether a file is new, updated or to be deleted'),
  toDelete: optional(longList(text('path'), 'with --delete and --dry-run: files that would be deleted')),
};
export type SyncSummary = ObjectOf<typeof syncSummaryFields>;

/**
 * Makes a folder equal to another: compares, asks before it deletes, copies, and deletes last. Deletes nothing if a file
 * of the source could not be read or copied. The same command typed twice takes turns from the comparison on.
 */
export async function sync(context: Context, words: CopyPaths, options: SyncOptions): Promise<SyncSummary> {
  const { source, target } = await resolveFolders(context, words);
  if (options.delete) checkApart(source, target);
  const ends = { from: words.sources.map(formatLocation), to: formatLocation(words.target), target };
  return inTurn(context, ends, options, async (turn) => {
    const difference = await compareFolders(context, source, target, options);
    const deletes = options.delete && difference.extra.length > 0;
    // Otherwise nothing is deleted: see below.
    const isComplete = !difference.uncopied.some((entry) => 'failure' in entry);
    if (deletes && isComplete) await checkMissing(context, source, difference.extra);
    if (deletes) await confirmDeletion(context, difference.extra, words.target, options);
    const request = { ...ends, find: () => filesToCopy(difference), isSingleFile: false };
    const copied = await copyInTurn(context, request, { ...options, update: options.verify }, turn);
    const { extra } = difference;
    const counts = countsOf(difference, copied);
    const changed = counts.new + counts.updated + (options.delete ? extra.length : 0) > 0;
    const summary = { ...copied, ...counts, deleted: 0, changed };
    if (!deletes) return summary;
    if (options.dryRun) return { ...summary, toDelete: extra };
    if (summary.failed.length > 0) {
      context.progress.note('nothing was deleted because some files could not be copied');
      return summary;
    }
    return { ...summary, ...(await removeFiles(context, target, extra)) };
  });
}

/** Counts as unchanged what the copy has skipped for its checksum, too. */
function countsOf({ added, updated, alike, unchanged, extra }: Difference, { skipped, equalFiles = 0 }: CopySummary) {
  return {
    skipped: skipped - equalFiles,
    new: added.length,
    updated: updated.length + alike.length - equalFiles,
    unchanged: unchanged + equalFiles,
    extra: extra.length,
  };
}

async function compareFolders(
  context: Context,
  source: CopyEndSource,
  target: CopyTarget,
  options: SyncOptions,
): Promise<Difference> {
  const step = context.progress.step('Comparing');
  const difference = await step.show(compare(source, target, options, context));
  step.clear();
  reportDifference(context, difference, options);
  return difference;
}

async function resolveFolders(context: Context, { sources, target }: CopyPaths) {
  const [location] = sources;
  if (!location || location.kind === 'stream' || target.kind === 'stream') {
    const ends = [...sources, target].map(formatLocation);
    throw new UsageError('sync needs two folders, not a stream', { fix: gantryCommand`cp ${ends}` });
  }
  const source = await inspectSource(location, context, target);
  if (!source.isFolder) {
    const ends = [typedLocation(location), typedLocation(target)];
    throw new UsageError(`${source.name} is a file`, { fix: gantryCommand`cp ${ends}` });
  }
  return { source, target: await resolveTarget(target, [source], context) };
}

/** Without what the result says anyway if there is nothing to copy. */
function reportDifference({ progress, now }: Context, difference: Difference, options: SyncOptions): void {
  const { added, updated, alike, unchanged, extra } = difference;
  const files = added.length + updated.length;
  const bytes = totalBytes(added) + totalBytes(updated);
  const copied = `${groupDigits(added.length)} new and ${groupDigits(updated.length)} changed (${fileSummary(files, bytes)} to copy)`;
  const others = `${groupDigits(extra.length)} ${options.delete ? 'to delete' : 'only in the target (kept)'}`;
  const kept = options.verify ? `${groupDigits(alike.length)} to compare` : `${groupDigits(unchanged)} unchanged`;
  const parts = [...(files > 0 ? [copied, kept] : []), ...(extra.length > 0 ? [others] : [])];
  if (parts.length > 0) progress.note(parts.join(', '));
  warnOfFuture(progress, updated, now());
}

function warnOfFuture(progress: Context['progress'], updated: Difference['updated'], now: number): void {
  for (const { path, modified = 0, from } of updated) {
    if (typeof from !== 'string' || modified <= now) continue;
    const message = `the time of ${printablePath(path)} is in the future: each sync copies such a file again`;
    progress.warn({ severity: 'warning', message, fix: sentence`set its time: touch ${quoteForShell(from)}` });
    return;
  }
}

function totalBytes(files: Iterable<FoundFile>): number {
  let sum = 0;
  for (const { bytes } of files) sum += bytes;
  return sum;
}

async function confirmDeletion(
  { progress, prompt }: Context,
  extra: PackedList<string>,
  target: CopyLocation,
  { confirm, dryRun }: SyncOptions,
) {
  for (const path of extra.first(maxListedPaths)) progress.note(`  deletes ${printablePath(path)}`);
  if (extra.length > maxListedPaths) progress.note(`  and ${groupDigits(extra.length - maxListedPaths)} more`);
  if (dryRun) for (const path of extra) progress.event('file', { path, status: 'would-delete' });
  const name = typedLocation(target);
  const what = `This permanently deletes ${count(extra.length, 'file')} in ${name}.`;
  await prompt.confirmByName(what, name, confirm, target.kind === 'remote' ? spellingsOf(target.at) : []);
}

async function* filesToCopy({ uncopied, added, updated, alike }: Difference) {
  for (const files of [uncopied, added, updated, alike]) yield* files;
}

/** Throws a UsageError if one folder is in the other: what is deleted in the target would be deleted in the source, too. */
function checkApart({ location }: CopyEndSource, { folder }: CopyTarget): void {
  if (location.kind !== 'remote' || folder.kind !== 'remote') return;
  const source = location.at;
  const target = folder.at;
  const from = withTrailingSlash(source.path);
  const to = withTrailingSlash(target.path);
  if (source.volume !== target.volume || !(from.startsWith(to) || to.startsWith(from))) return;
  throw new UsageError(`${formatRemotePath(source)} and ${formatRemotePath(target)} overlap`, {
    why: '--delete would delete files of the source',
    fix: 'pass two folders of which neither is in the other, or leave out --delete',
  });
}

/**
 * Looks again at the folders of a volume in which files are missing that would be deleted in the target. A list without
 * entries may be a lost answer: where a folder that exists lists nothing, or a file is listed after all, this throws a
 * ConflictError.
 */
async function checkMissing(
  context: VolumeContext,
  { location }: CopyEndSource,
  extra: Iterable<string>,
): Promise<void> {
  if (location.kind !== 'remote') return;
  const root: VolumePath = { ...location.at, path: withTrailingSlash(location.at.path) };
  const at = (folder: string): VolumePath => ({ ...root, path: folder === '.' ? root.path : `${root.path}${folder}/` });
  const lists = new Map<string, Promise<Set<string>>>();
  const list = (folder: string) => onceFor(lists, folder, () => listNames(context, at(folder)));
  await inLane(maxListings, new Set(Array.from(extra, (path) => posix.dirname(path))), async (folder) => {
    await list(folder);
  });
  for (const path of extra) {
    let folder = posix.dirname(path);
    if ((await list(folder)).has(posix.basename(path))) throw listedAgainError({ ...root, path: root.path + path });
    for (; folder !== '.'; folder = posix.dirname(folder)) {
      const isListed = (await list(posix.dirname(folder))).has(`${posix.basename(folder)}/`);
      if (isListed && (await list(folder)).size === 0) throw emptiedError(at(folder));
    }
    if ((await list(folder)).size === 0) throw emptiedError(root);
  }
}

const maxListings = 8;

function emptiedError(folder: VolumePath): ConflictError {
  return new ConflictError(`nothing was deleted: ${singleLine(formatRemotePath(folder))} lists nothing`, {
    why: 'the list of a folder may be lost, and everything in its place in the target would be deleted',
    fix: 'if the folder is empty, delete its files in the target yourself, then run the same command again',
    retryable: true,
  });
}

function listedAgainError(file: VolumePath): ConflictError {
  const path = singleLine(formatRemotePath(file));
  const facts = { fix: 'run the same command again', retryable: true };
  return new ConflictError(`nothing was deleted: ${path} is listed now, and was not before`, facts);
}

const maxConcurrent = 16;
/** Remote files deleted before they are confirmed: each time, a folder is listed as a whole. */
const batchSize = 10_000;

interface Removals {
  deleted: number;
  failed: FailedFile[];
}

/** Deletes files of a folder. Reports and counts failures and continues. */
async function removeFiles(context: Context, { folder }: CopyTarget, paths: PackedList<string>): Promise<Removals> {
  const { progress, signal } = context;
  const result: Removals = { deleted: 0, failed: [] };
  const report = (path: string, error: GantryError | undefined) => {
    if (!error) {
      result.deleted++;
      progress.event('file', { path, status: 'deleted' });
      return;
    }
    result.failed.push({ path, reason: error.message, code: error.exit });
    progress.warn(`${printablePath(path)} was not deleted: ${error.message}`);
  };
  if (folder.kind === 'remote') await removeRemote(context, folder.at, paths, report);
  else await removeLocally(folder.path, paths, signal, report);
  signal.throwIfAborted();
  return result;
}

type ReportRemoval = (path: string, error: GantryError | undefined) => void;

async function removeRemote(
  context: Context,
  at: VolumePath,
  paths: PackedList<string>,
  report: ReportRemoval,
): Promise<void> {
  for (const batch of inBatches(paths)) {
    const targets = batch.map((path) => ({ ...at, path: joinRemotePath(at.path, path) }));
    const outcomes = await deletePaths(context, targets);
    for (const [index, path] of batch.entries()) report(path, outcomes[index]?.error);
  }
}

function* inBatches(paths: Iterable<string>): Generator<string[]> {
  let batch: string[] = [];
  for (const path of paths) {
    batch.push(path);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function removeLocally(root: string, paths: Iterable<string>, signal: AbortSignal, report: ReportRemoval) {
  const removal = new LocalRemoval(root);
  await inLane(maxConcurrent, paths, async (path) => {
    if (signal.aborted) return;
    try {
      await removal.remove(path);
      report(path, undefined);
    } catch (cause) {
      report(path, toDiskError(cause));
    }
  });
  removal.close();
}

/** Deletes files of a local folder, never through a symbolic link, even one created meanwhile. */
export class LocalRemoval {
  readonly #folders: OpenedFolders;

  /** `keepsOpen` is for tests: see {@link OpenedFolders}. */
  constructor(root: string, keepsOpen?: boolean) {
    this.#folders = new OpenedFolders(root, { forWriting: false, keepsOpen });
  }

  /** Also removes the folders that become empty. */
  async remove(path: string): Promise<void> {
    await this.#within(path, unlink);
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      try {
        await this.#within(folder, rmdir);
      } catch {
        return;
      }
    }
  }

  close(): void {
    this.#folders.close();
  }

  async #within(path: string, remove: (path: string) => Promise<void>): Promise<void> {
    const names = path.split('/');
    let folder: OpenedFolder | undefined;
    try {
      folder = this.#folders.open(names.slice(0, -1));
      await remove(folder.entry(names.at(-1) ?? ''));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    } finally {
      folder?.release();
    }
  }
}
