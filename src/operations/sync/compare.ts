import type { Context } from '../../context.ts';
import { nameKey, nameProbe, temporaryFilter } from '../../disk/index.ts';
import { NotFoundError } from '../../errors.ts';
import {
  type CopyOptions,
  type CopySource,
  type CopyTarget,
  createPathFilter,
  diskToleranceMs,
  distinctNames,
  type FoundFile,
  findSourceFiles,
  isUnchanged,
  type PathFilter,
  parseTimestamp,
  type RenamedEntry,
  type UncopiedEntry,
  walkLocal,
} from '../copy/index.ts';
import { walkVolume } from '../volumes/index.ts';

/** What has to be done to make the target equal. */
export interface Difference {
  added: FoundFile[];
  changed: FoundFile[];
  /** Files that pass for the same. */
  same: number;
  /** What could not be looked at, or is no file. */
  obstacles: UncopiedEntry[];
  /** Paths of what is only in the target. */
  extra: string[];
  /** Files that get another name in the target, whose disk does not tell theirs apart. */
  renamed: RenamedEntry[];
}

type Calls = Pick<Context, 'api' | 'project' | 'settings'>;

/** What is in the target is kept in mind: it takes some 200 bytes a file. */
export async function compare(
  source: CopySource,
  { folder }: CopyTarget,
  options: Pick<CopyOptions, 'include' | 'exclude' | 'follow' | 'renameClashes'>,
  calls: Calls,
): Promise<Difference> {
  const there = await filesThere(folder, createPathFilter(options.include, options.exclude), calls);
  const found: Difference = { added: [], changed: [], same: 0, obstacles: [], extra: [], renamed: [] };
  const tolerance = folder.kind === 'local' ? diskToleranceMs : 0;
  const files = findSourceFiles([source], undefined, options, calls);
  const naming = {
    renames: options.renameClashes,
    allFirst: true,
    onRenamed: (renamed: RenamedEntry) => void found.renamed.push(renamed),
  };
  for await (const file of folder.kind === 'local' ? distinctNames(files, folder.path, naming) : files) {
    const before = there.get(file.path);
    there.delete(file.path);
    if (!('bytes' in file)) found.obstacles.push(file);
    else if (!before) found.added.push(file);
    else if (isUnchanged(file, before, tolerance)) found.same++;
    else found.changed.push(file);
  }
  if (folder.kind === 'local') matchOtherSpellings(found, there, folder.path);
  found.extra = [...there.keys()].sort();
  return found;
}

/** On a disk that takes `a` and `A` for the same, the `A` there is the `a` of the source: it is neither new nor extra. */
function matchOtherSpellings(found: Difference, there: There, folder: string): void {
  if (there.size === 0 || found.added.length === 0) return;
  const keyOf = (path: string) => path.split('/').map(nameKey).join('/');
  const spellings = new Map([...there.keys()].map((path) => [keyOf(path), path]));
  found.added = found.added.filter((file) => {
    const spelling = spellings.get(keyOf(file.path));
    const before = spelling === undefined ? undefined : there.get(spelling);
    if (spelling === undefined || !before || !nameProbe.isSameEntry(folder, file.path, spelling)) return true;
    there.delete(spelling);
    if (isUnchanged(file, before, diskToleranceMs)) found.same++;
    else found.changed.push(file);
    return false;
  });
}

type There = Map<string, { bytes: number | null; modified: number | undefined }>;

async function filesThere(folder: CopyTarget['folder'], filter: PathFilter, calls: Calls): Promise<There> {
  const there: There = new Map();
  if (folder.kind === 'remote') {
    try {
      for await (const { path, size, modified } of walkVolume(calls, folder.at)) {
        if (filter.includes(path)) there.set(path, { bytes: size, modified: parseTimestamp(modified) });
      }
    } catch (error) {
      // What is not there yet is empty.
      if (!(error instanceof NotFoundError) || there.size > 0) throw error;
    }
    return there;
  }
  const isTemporary = temporaryFilter(() => calls.settings.folders.state);
  try {
    // Through a link nothing is deleted, so nothing behind one counts as there.
    for await (const file of walkLocal({ folder: folder.path, prefix: '', filter, follow: false, isTemporary })) {
      if ('failure' in file) throw file.failure;
      if ('bytes' in file) there.set(file.path, { bytes: file.bytes ?? null, modified: file.modified });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return there;
}
