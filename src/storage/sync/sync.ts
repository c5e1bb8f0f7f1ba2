import { gantryCommand, quoteForShell, sentence } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { count, fileSummary, printablePath } from '../../kernel/output/format.ts';
import type { PackedList } from '../../kernel/packed-list.ts';
import type { Context } from '../../platform/context.ts';
import {
  type CopyContext,
  type CopyLocation,
  type CopyOptions,
  type CopyPaths,
  type CopySummary,
  copyFiles,
  type FoundFile,
  formatLocation,
  inspectSource,
  maxListedPaths,
  resolveTarget,
} from '../copy/index.ts';
import { checkApart, checkMissing } from './check-deletions.ts';
import { compare } from './compare.ts';
import type { Difference } from './difference.ts';
import { removeFiles } from './remove-files.ts';

export interface SyncOptions extends CopyOptions {
  delete: boolean;
  /** The target's name, as confirmation; undefined: ask. */
  confirm: string | undefined;
}

/** The result of a sync; with a dry run, what it would do. */
export interface SyncSummary extends CopySummary {
  new: number;
  updated: number;
  unchanged: number;
  /** Files that are only in the target. */
  extra: number;
  deleted: number;
  /** The files that a dry run would delete. */
  toDelete?: PackedList<string> | undefined;
}

/**
 * Makes a folder equal to another: compares, asks before it deletes, copies, and deletes last. Deletes nothing if a file
 * of the source could not be read or copied.
 */
export async function sync(context: Context, words: CopyPaths, options: SyncOptions): Promise<SyncSummary> {
  const { source, target } = await resolveFolders(context, words);
  if (options.delete) checkApart(source, target);
  const step = context.progress.step('Comparing');
  const found = await compare(source, target, options, context).catch((error: unknown) => {
    step.fail();
    throw error;
  });
  step.clear();
  reportDifference(context, found, options);
  const deletes = options.delete && found.extra.length > 0;
  const to = formatLocation(words.target);
  // Otherwise nothing is deleted: see below.
  const isComplete = !found.uncopied.some((entry) => 'failure' in entry);
  if (deletes && isComplete) await checkMissing(context, source, found.extra);
  if (deletes) await confirmDeletion(context, found.extra, nameOf(words.target), options);
  const names = { from: words.sources.map(formatLocation), to };
  const summary = await copyFiles(
    context,
    { ...names, find: (job) => filesToCopy(found, job), target, isSingleFile: false },
    options,
  );
  const counts = {
    new: found.added.length,
    updated: found.updated.length,
    unchanged: found.unchanged,
    extra: found.extra.length,
  };
  if (options.dryRun) return { ...summary, ...counts, deleted: 0, ...(deletes && { toDelete: found.extra }) };
  if (!deletes) return { ...summary, ...counts, deleted: 0 };
  if (summary.failed.length > 0) {
    context.progress.note('nothing was deleted because some files could not be copied');
    return { ...summary, ...counts, deleted: 0 };
  }
  const { deleted, failed } = await removeFiles(context, target, found.extra);
  return { ...summary, ...counts, deleted, failed };
}

async function resolveFolders(context: Context, { sources, target }: CopyPaths) {
  const [location] = sources;
  if (!location || location.kind === 'stream' || target.kind === 'stream') {
    const ends = [...sources, target].map(formatLocation);
    throw new UsageError('sync needs two folders, not a stream', { fix: gantryCommand`cp ${ends}` });
  }
  const source = await inspectSource(location, context);
  if (!source.isFolder) {
    const ends = [nameOf(location), nameOf(target)];
    throw new UsageError(`${source.name} is a file`, { fix: gantryCommand`cp ${ends}` });
  }
  return { source, target: await resolveTarget(target, [source], context) };
}

/** Without what the result says anyway if there is nothing to copy. */
function reportDifference({ progress, now }: Context, found: Difference, options: SyncOptions): void {
  const { added, updated, unchanged, extra } = found;
  const files = added.length + updated.length;
  const bytes = totalBytes(added) + totalBytes(updated);
  const copied = `${added.length} new and ${updated.length} changed (${fileSummary(files, bytes)} to copy)`;
  const others = options.delete ? `${extra.length} to delete` : `${extra.length} only in the target (kept)`;
  const parts = [...(files > 0 ? [copied, `${unchanged} unchanged`] : []), ...(extra.length > 0 ? [others] : [])];
  if (parts.length > 0) progress.note(parts.join(', '));
  for (const { path, modified = 0, from } of updated) {
    if (typeof from !== 'string' || modified <= now()) continue;
    const message = `the time of ${printablePath(path)} is in the future: each sync copies such a file again`;
    progress.warn({ severity: 'warning', message, fix: sentence`set its time: touch ${quoteForShell(from)}` });
    return;
  }
}

function totalBytes(files: Iterable<FoundFile>): number {
  let sum = 0;
  for (const { bytes = 0 } of files) sum += bytes;
  return sum;
}

async function confirmDeletion(
  { progress, prompt }: Context,
  extra: PackedList<string>,
  name: string,
  { confirm, dryRun }: SyncOptions,
) {
  for (const path of extra.first(maxListedPaths)) progress.note(`  deletes ${printablePath(path)}`);
  if (extra.length > maxListedPaths) progress.note(`  and ${extra.length - maxListedPaths} more`);
  if (dryRun) for (const path of extra) progress.event('file', { path, status: 'would-delete' });
  else await prompt.confirmByName(`This permanently deletes ${count(extra.length, 'file')} in ${name}.`, name, confirm);
}

/** The name that the user types to confirm: the target as written. */
function nameOf(target: CopyLocation): string {
  return target.kind === 'local' ? target.written : formatLocation(target);
}

async function* filesToCopy({ uncopied, added, updated, renamed }: Difference, { progress }: CopyContext) {
  for (const each of renamed) progress.fileRenamed(each);
  yield* uncopied;
  yield* added;
  yield* updated;
}
