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

/** What it takes to make the target equal. */
export interface Difference {
  added: FoundFile[];
  updated: FoundFile[];
  /** Number of unchanged files. */
  unchanged: number;
  /** Entries of the source that could not be read or are not regular files. */
  uncopied: UncopiedEntry[];
  /** Paths that are only in the target. */
  extra: string[];
  renamed: RenamedEntry[];
}

type CompareContext = Pick<Context, 'api' | 'project' | 'settings'>;

/** Compares a source with a target. Keeps the target's files in memory, about 200 bytes each. */
export async function compare(
  source: CopySource,
  { folder }: CopyTarget,
  options: Pick<CopyOptions, 'include' | 'exclude' | 'follow' | 'renameClashes'>,
  context: CompareContext,
): Promise<Difference> {
  const existing = await readTargetFiles(folder, createPathFilter(options.include, options.exclude), context);
  const found: Difference = { added: [], updated: [], unchanged: 0, uncopied: [], extra: [], renamed: [] };
  const tolerance = folder.kind === 'local' ? diskToleranceMs : 0;
  const files = findSourceFiles([source], undefined, options, context);
  const naming = {
    renames: options.renameClashes,
    allFirst: true,
    onRenamed: (renamed: RenamedEntry) => void found.renamed.push(renamed),
  };
  for await (const file of folder.kind === 'local' ? distinctNames(files, folder.path, naming) : files) {
    const before = existing.get(file.path);
    existing.delete(file.path);
    if (!('bytes' in file)) found.uncopied.push(file);
    else if (!before) found.added.push(file);
    else if (isUnchanged(file, before, tolerance)) found.unchanged++;
    else found.updated.push(file);
  }
  if (folder.kind === 'local') matchOtherSpellings(found, existing, folder.path);
  found.extra = [...existing.keys()].sort();
  return found;
}

/** On a disk where `a` and `A` are equal, the target's `A` is the source's `a`: neither new nor extra. */
function matchOtherSpellings(found: Difference, existing: TargetFiles, folder: string): void {
  if (existing.size === 0 || found.added.length === 0) return;
  const keyOf = (path: string) => path.split('/').map(nameKey).join('/');
  const spellings = new Map([...existing.keys()].map((path) => [keyOf(path), path]));
  found.added = found.added.filter((file) => {
    const spelling = spellings.get(keyOf(file.path));
    const before = spelling === undefined ? undefined : existing.get(spelling);
    if (spelling === undefined || !before || !nameProbe.isSameEntry(folder, file.path, spelling)) return true;
    existing.delete(spelling);
    if (isUnchanged(file, before, diskToleranceMs)) found.unchanged++;
    else found.updated.push(file);
    return false;
  });
}

type TargetFiles = Map<string, { bytes: number | null; modified: number | undefined }>;

async function readTargetFiles(
  folder: CopyTarget['folder'],
  filter: PathFilter,
  context: CompareContext,
): Promise<TargetFiles> {
  const existing: TargetFiles = new Map();
  if (folder.kind === 'remote') {
    try {
      for await (const { path, size, modified } of walkVolume(context, folder.at)) {
        if (filter.includes(path)) existing.set(path, { bytes: size, modified: parseTimestamp(modified) });
      }
    } catch (error) {
      // A folder that does not exist is empty.
      if (!(error instanceof NotFoundError) || existing.size > 0) throw error;
    }
    return existing;
  }
  const isTemporary = temporaryFilter(() => context.settings.folders.state);
  try {
    // Sync does not delete through symbolic links, so files behind them do not count.
    for await (const file of walkLocal({ folder: folder.path, prefix: '', filter, follow: false, isTemporary })) {
      if ('failure' in file) throw file.failure;
      if ('bytes' in file) existing.set(file.path, { bytes: file.bytes ?? null, modified: file.modified });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return existing;
}
