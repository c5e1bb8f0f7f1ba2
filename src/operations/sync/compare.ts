import type { Context } from '../../context.ts';
import { temporaryFilter } from '../../disk/index.ts';
import { NotFoundError } from '../../errors.ts';
import { diskTolerance, isCurrent, timeOf } from '../copy/current.ts';
import { type Filter, filterOf } from '../copy/filter.ts';
import { findFiles } from '../copy/find-files.ts';
import type { FoundFile, Obstacle } from '../copy/found.ts';
import type { CopyOptions } from '../copy/options.ts';
import type { Source, Target } from '../copy/places.ts';
import { walkLocal } from '../copy/walk-local.ts';
import { walkVolume } from '../volume/walk.ts';

/** What has to be done to make the target equal. */
export interface Difference {
  added: FoundFile[];
  changed: FoundFile[];
  /** Files that pass for the same. */
  same: number;
  /** What could not be looked at, or is no file. */
  obstacles: Obstacle[];
  /** Paths of what is only in the target. */
  extra: string[];
}

type Calls = Pick<Context, 'api' | 'project' | 'settings'>;

/** What is in the target is kept in mind: it takes some 200 bytes a file. */
export async function compare(
  source: Source,
  { folder }: Target,
  options: Pick<CopyOptions, 'include' | 'exclude' | 'follow'>,
  calls: Calls,
): Promise<Difference> {
  const there = await filesThere(folder, filterOf(options.include, options.exclude), calls);
  const found: Difference = { added: [], changed: [], same: 0, obstacles: [], extra: [] };
  const tolerance = folder.kind === 'local' ? diskTolerance : 0;
  for await (const file of findFiles([source], undefined, options, calls)) {
    const before = there.get(file.path);
    there.delete(file.path);
    if (!('bytes' in file)) found.obstacles.push(file);
    else if (!before) found.added.push(file);
    else if (isCurrent(file, before, tolerance)) found.same++;
    else found.changed.push(file);
  }
  found.extra = [...there.keys()].sort();
  return found;
}

type There = Map<string, { bytes: number; modified: number | undefined }>;

async function filesThere(folder: Target['folder'], filter: Filter, calls: Calls): Promise<There> {
  const there: There = new Map();
  if (folder.kind === 'remote') {
    try {
      for await (const { path, size, modified } of walkVolume(calls, folder.at)) {
        if (filter.wants(path)) there.set(path, { bytes: size, modified: timeOf(modified) });
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
      if ('bytes' in file) there.set(file.path, { bytes: file.bytes, modified: file.modified });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return there;
}
