import { gantryCommand } from '../../command-line.ts';
import type { Context } from '../../context.ts';
import { FailedError, type GantryError, NotFoundError, UsageError } from '../../errors.ts';
import { count, fileSummary, size } from '../../output/format.ts';
import { formatRemotePath } from '../../transfer/remote-path.ts';
import { type Deletion, deletePaths } from './delete-paths.ts';
import { findMatches, parsePathPattern } from './path-pattern.ts';
import {
  findEntry,
  type ListedEntry,
  parseVolumePath,
  singleLine,
  type VolumePath,
  walkVolume,
} from './walk-volume.ts';

export interface Removal {
  /** `default:/models/a.bin`; a folder's ends in a slash. */
  path: string;
  isFolder: boolean;
  removed: true;
}

type Removing = Pick<
  Context,
  'api' | 'apiWithSignal' | 'project' | 'settings' | 'progress' | 'prompt' | 'signal' | 'delay' | 'onRetry'
>;

/** Something to remove, and where it is. */
type RemovalTarget = ListedEntry & { at: VolumePath };

/**
 * Removes files, and folders with all that is in them. Everything is found, shown and agreed to before anything is
 * removed. Throws NotFoundError when one of the paths leads to nothing, UsageError for a folder without `recursive`.
 * What could not be removed is told one by one; the error is that of all failures if they are of one kind.
 */
export async function removePaths(
  context: Removing,
  paths: string[],
  { recursive, confirm }: { recursive: boolean; confirm: string | undefined },
): Promise<Removal[]> {
  const targets: RemovalTarget[] = [];
  for (const path of paths) targets.push(...(await resolve(context, path)));
  const distinct = withoutCovered(targets);
  const folder = distinct.find(({ isFolder }) => isFolder);
  if (folder && !recursive) {
    throw new UsageError(`${formatTarget(folder)} is a folder`, {
      why: 'a folder is removed with all that is in it, only if that is asked for',
      fix: gantryCommand`rm -r ${paths}`,
    });
  }
  await confirmRemoval(context, distinct, paths, confirm);
  return removeAll(context, distinct);
}

async function resolve(context: Removing, text: string): Promise<RemovalTarget[]> {
  const at = parseVolumePath(text, context.settings);
  const pattern = parsePathPattern(at.path);
  if ('plain' in pattern) {
    const exact = { ...at, path: pattern.plain };
    const found = await findEntry(context, exact);
    return [{ ...found, at: exact }];
  }
  const found = await findMatches(context, at, pattern);
  if (found.length === 0) throw new NotFoundError(`nothing matches ${formatRemotePath(at)}`);
  return found.map((entry) => ({ ...entry, at: { ...at, path: entry.path } }));
}

/** Each of them once, and nothing that is below a folder which goes anyway. */
function withoutCovered(targets: RemovalTarget[]): RemovalTarget[] {
  const byPath = new Map(targets.map((target) => [formatTarget(target), target]));
  const isCovered = ({ at, path }: RemovalTarget) =>
    foldersAbove(path).some((folder) => byPath.has(formatRemotePath({ ...at, path: folder })));
  return [...byPath.values()].filter((target) => !isCovered(target));
}

/** `/a/b/c` is below `/`, `/a/` and `/a/b/`. */
function foldersAbove(path: string): string[] {
  return [...path.slice(0, -1).matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
}

/** Asks before it deletes a file, and wants the typed name for a folder. Shows first what would be deleted. */
async function confirmRemoval(
  context: Removing,
  targets: RemovalTarget[],
  paths: string[],
  confirm: string | undefined,
) {
  const { progress, prompt } = context;
  for (const target of targets.slice(0, shown)) progress.note(`  ${singleLine(formatTarget(target))}`);
  if (targets.length > shown) progress.note(`  and ${targets.length - shown} more`);
  const files = targets.filter(({ isFolder }) => !isFolder);
  const bytes = files.reduce((sum, file) => sum + (file.size ?? 0), 0);
  if (files.length === targets.length) return prompt.confirm(`Remove ${fileSummary(files.length, bytes)}?`);
  const folders = targets.filter(({ isFolder }) => isFolder);
  const inside = await contents(context, folders);
  const what = [
    ...(files.length > 0 ? [fileSummary(files.length, bytes)] : []),
    `${count(folders.length, 'folder')} with ${count(inside.files, 'file')} in ${folders.length === 1 ? 'it' : 'them'} (${size(inside.bytes)})`,
  ].join(' and ');
  await prompt.confirmByName(`This removes ${what} for good.`, paths.join(' '), confirm);
}

async function contents(context: Removing, folders: RemovalTarget[]): Promise<{ files: number; bytes: number }> {
  const sum = { files: 0, bytes: 0 };
  const step = context.progress.step('Looking into what is removed');
  for (const { at } of folders) {
    for await (const file of walkVolume(context, at)) {
      sum.files += 1;
      sum.bytes += file.size ?? 0;
    }
  }
  step.done(`Found ${fileSummary(sum.files, sum.bytes)}`);
  return sum;
}

async function removeAll(context: Removing, targets: RemovalTarget[]): Promise<Removal[]> {
  const outcomes = await deletePaths(
    context,
    targets.map(({ at, path }) => ({ ...at, path })),
  );
  const removed: Removal[] = [];
  const gone: string[] = [];
  const failures: { path: string; error: GantryError }[] = [];
  for (const [index, target] of targets.entries()) {
    const { error, wasGone } = outcomes[index] as Deletion;
    const path = formatTarget(target);
    if (error) failures.push({ path, error });
    else removed.push({ path, isFolder: target.isFolder, removed: true });
    if (wasGone) gone.push(path);
  }
  const [one = ''] = gone;
  if (gone.length > 0) {
    const what = gone.length === 1 ? `${singleLine(one)} was` : `${gone.length} of ${targets.length} were`;
    context.progress.note(`${what} already gone`);
  }
  if (failures.length > 0) throw failed(context, failures, removed);
  return removed;
}

function failed(
  { progress }: Removing,
  failures: { path: string; error: GantryError }[],
  removed: Removal[],
): GantryError {
  const details = {
    removed: removed.map(({ path }) => path),
    failed: failures.map(({ path, error }) => ({ path, message: error.message })),
  };
  const tried = failures.length + removed.length;
  if (tried > 1) for (const { path, error } of failures) progress.warn(`${singleLine(path)}: ${error.message}`);
  const [first] = failures;
  if (first && failures.every(({ error }) => error.exit === first.error.exit)) {
    first.error.facts.details = details;
    return first.error;
  }
  return new FailedError(`${failures.length} of ${tried} could not be removed`, { details });
}

function formatTarget({ at, path }: RemovalTarget): string {
  return formatRemotePath({ ...at, path });
}

/** Paths that are named before the question. */
const shown = 20;
