import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { count, fileSummary } from '../../output/format.ts';
import {
  absolute,
  type CopyOptions,
  type CopySummary,
  copyFound,
  type Job,
  listed,
  lookAt,
  type Place,
  printable,
  settleTarget,
  type Words,
} from '../copy/index.ts';
import { compare, type Difference } from './compare.ts';
import { removeFiles } from './remove-files.ts';

export interface SyncOptions extends CopyOptions {
  delete: boolean;
  /** The target's name once more, instead of typing it. */
  confirm: string | undefined;
}

/** How a sync went; with a dry run, what it would do. */
export interface SyncSummary extends CopySummary {
  new: number;
  changed: number;
  same: number;
  /** Files that are only in the target. */
  extra: number;
  deleted: number;
}

/**
 * Makes a folder equal to another: says what that takes, asks before it deletes, copies, and deletes last. Nothing is
 * deleted when something of the source could not be read or copied.
 */
export async function sync(context: Context, words: Words, options: SyncOptions): Promise<SyncSummary> {
  const { source, target } = await folders(context, words);
  const step = context.progress.step('Comparing');
  const found = await compare(source, target, options, context).catch((error: unknown) => {
    step.fail();
    throw error;
  });
  step.clear();
  tell(context, found, options);
  const deletes = options.delete && found.extra.length > 0;
  const to = absolute(words.target);
  if (deletes) await agree(context, found.extra, nameOf(words.target), options);
  const names = { from: words.sources.map(absolute), to };
  const summary = await copyFound(
    context,
    { ...names, find: (job) => everything(found, job), target, isAlone: false },
    options,
  );
  const counts = {
    new: found.added.length,
    changed: found.changed.length,
    same: found.same,
    extra: found.extra.length,
  };
  if (!deletes || options.dryRun) return { ...summary, ...counts, deleted: 0 };
  if (summary.failed.length > 0) {
    context.progress.note('nothing is deleted, since not everything was copied');
    return { ...summary, ...counts, deleted: 0 };
  }
  const { deleted, failed } = await removeFiles(context, target, found.extra);
  return { ...summary, ...counts, deleted, failed };
}

async function folders(context: Context, { sources, target }: Words) {
  const [place] = sources;
  if (!place || place.kind === 'stream' || target.kind === 'stream') {
    throw new UsageError('two folders are made equal; a stream is none', { fix: 'see gantry cp' });
  }
  const source = await lookAt(place, context);
  if (!source.isFolder) throw new UsageError(`${source.name} is a file`, { fix: 'copy it with gantry cp' });
  return { source, target: await settleTarget(target, [source], context) };
}

function tell({ progress }: Context, found: Difference, options: SyncOptions): void {
  const { added, changed, same, extra } = found;
  const bytes = [...added, ...changed].reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  const others = options.delete ? `${extra.length} to delete` : `${extra.length} only there, left as they are`;
  progress.note(
    [
      `${added.length} new and ${changed.length} changed (${fileSummary(added.length + changed.length, bytes)} to copy)`,
      `${same} the same`,
      ...(extra.length > 0 ? [others] : []),
    ].join(', '),
  );
}

async function agree({ progress, prompt }: Context, extra: string[], name: string, options: SyncOptions) {
  const { confirm, dryRun } = options;
  for (const path of extra.slice(0, listed)) progress.note(`  deletes ${printable(path)}`);
  if (extra.length > listed) progress.note(`  and ${extra.length - listed} more`);
  if (dryRun) for (const path of extra) progress.event('file', { path, status: 'would-delete' });
  else await prompt.confirmByName(`This deletes ${count(extra.length, 'file')} in ${name} for good.`, name, confirm);
}

/** As the user wrote it, which is what is to be typed again. */
function nameOf(target: Place): string {
  return target.kind === 'local' ? target.written : absolute(target);
}

async function* everything({ obstacles, added, changed, renamed }: Difference, { tally }: Job) {
  for (const each of renamed) tally.rename(each);
  yield* obstacles;
  yield* added;
  yield* changed;
}
