import { nameProbe } from '../../kernel/disk/index.ts';
import { PackedList } from '../../kernel/packed-list.ts';
import {
  type CopyEndSource,
  type CopyTarget,
  diskToleranceMs,
  distinctNames,
  type FoundFile,
  findSourceFiles,
  isUnchanged,
  type RenamedEntry,
} from '../copy/index.ts';
import { type CompareContext, type CompareOptions, type Difference, pathKey } from './difference.ts';
import { findTargetFiles, type TargetFileInfo } from './target-files.ts';

/**
 * Compares a source with a target, both in any order. Keeps the files of the target and those that differ in memory,
 * several hundred bytes each: see {@link compare}.
 */
export async function compareInMemory(
  source: CopyEndSource,
  { folder }: CopyTarget,
  options: CompareOptions,
  context: CompareContext,
): Promise<Difference> {
  const existing: TargetFiles = new Map();
  for await (const { path, ...file } of findTargetFiles(folder, options, context)) existing.set(path, file);
  const found: DifferentFiles = { added: [], updated: [], unchanged: 0, uncopied: [], renamed: [] };
  const tolerance = folder.kind === 'local' ? diskToleranceMs : 0;
  const files = findSourceFiles([source], undefined, options, context);
  const naming = {
    renames: options.renameClashes,
    allFirst: true,
    onRenamed: (renamed: RenamedEntry) => void found.renamed.push(renamed),
  };
  for await (const file of folder.kind === 'local' ? distinctNames(files, folder.path, naming) : files) {
    if (!('bytes' in file)) {
      found.uncopied.push(file);
      continue;
    }
    const before = existing.get(file.path);
    existing.delete(file.path);
    if (!before) found.added.push(file);
    else if (isUnchanged(file, before, tolerance)) found.unchanged++;
    else found.updated.push(file);
  }
  // Last: a name that is not text may be shown as that of another file.
  for (const { path } of found.uncopied) existing.delete(path);
  if (folder.kind === 'local') matchOtherSpellings(found, existing, folder.path);
  return { ...found, extra: PackedList.from([...existing.keys()].sort()) };
}

interface DifferentFiles extends Omit<Difference, 'extra'> {
  added: FoundFile[];
  updated: FoundFile[];
}

/** On a disk where `a` and `A` are equal, the target's `A` is the source's `a`: neither new nor extra. */
function matchOtherSpellings(found: DifferentFiles, existing: TargetFiles, folder: string): void {
  if (existing.size === 0 || found.added.length === 0) return;
  const spellings = new Map([...existing.keys()].map((path) => [pathKey(path), path]));
  found.added = found.added.filter((file) => {
    const spelling = spellings.get(pathKey(file.path));
    const before = spelling === undefined ? undefined : existing.get(spelling);
    if (spelling === undefined || !before || !nameProbe.isSameEntry(folder, file.path, spelling)) return true;
    existing.delete(spelling);
    if (isUnchanged(file, before, diskToleranceMs)) found.unchanged++;
    else found.updated.push(file);
    return false;
  });
}

type TargetFiles = Map<string, Omit<TargetFileInfo, 'path'>>;
