import { PackedList, sortPacked } from '../../kernel/packed-list.ts';
import {
  type CopyEndSource,
  type CopyTarget,
  checkKeptName,
  diskToleranceMs,
  findSourceFiles,
  isUnchanged,
  type UncopiedEntry,
} from '../copy/index.ts';
import { ChangedFiles } from './changed-files.ts';
import { compareInMemory } from './compare-in-memory.ts';
import type { CompareContext, CompareOptions, Difference } from './difference.ts';
import { mayMeet, NameHashes } from './name-hashes.ts';
import { assertAscending, comparePaths, OrderError } from './path-order.ts';
import { findTargetFiles } from './target-files.ts';

/**
 * Compares a source with a target. Both are walked in the same order at the same time, so that one folder of each is in
 * memory. Where that cannot give the same answer as a look at everything, everything is looked at again: names that are not
 * valid UTF-8, and names that the disk of a local target may take for the same.
 */
export async function compare(
  source: CopyEndSource,
  target: CopyTarget,
  options: CompareOptions,
  context: CompareContext,
): Promise<Difference> {
  try {
    return await compareInOrder(source, target, options, context);
  } catch (error) {
    if (!(error instanceof OrderError)) throw error;
    return compareInMemory(source, target, options, context);
  }
}

async function compareInOrder(
  source: CopyEndSource,
  { folder }: CopyTarget,
  options: CompareOptions,
  context: CompareContext,
): Promise<Difference> {
  const [added, updated, extra] = [new ChangedFiles(source), new ChangedFiles(source), new PackedList<string>()];
  const uncopied: UncopiedEntry[] = [];
  let unchanged = 0;
  const tolerance = folder.kind === 'local' ? diskToleranceMs : 0;
  const names = new NameHashes();
  const targetFiles = assertAscending(findTargetFiles(folder, options, context));
  let next = await targetFiles.next();
  for await (const found of assertAscending(findSourceFiles([source], undefined, options, context))) {
    for (; !next.done && comparePaths(next.value.path, found.path) < 0; next = await targetFiles.next())
      extra.add(next.value.path);
    const before = !next.done && next.value.path === found.path ? next.value : undefined;
    if (before) next = await targetFiles.next();
    if (folder.kind === 'local' && 'bytes' in found) names.add(found.path);
    const file = folder.kind === 'local' && 'bytes' in found ? checkKeptName(found, folder.path) : found;
    if (!('bytes' in file)) uncopied.push(file);
    else if (!before) added.add(file);
    else if (isUnchanged(file, before, tolerance)) unchanged++;
    else updated.add(file);
  }
  for (; !next.done; next = await targetFiles.next()) extra.add(next.value.path);
  if (folder.kind === 'local' && (names.end() || mayMeet(extra, added.paths()))) throw new OrderError();
  return { added, updated, unchanged, uncopied, extra: PackedList.from(sortPacked(extra, byUnits)), renamed: [] };
}

function byUnits(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
