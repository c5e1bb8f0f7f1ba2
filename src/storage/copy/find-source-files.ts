import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFilter } from '../../kernel/disk/index.ts';
import type { Context } from '../../platform/context.ts';
import { joinRemotePath, withTrailingSlash } from '../transfer/remote-path.ts';
import { findEntry, unreadEntriesError, type VolumeContext, type VolumePath, walkVolume } from '../volumes/index.ts';
import type { CopyOptions } from './copy-context.ts';
import type { CopyEnd, CopySource } from './copy-paths.ts';
import { type FoundEntry, type FoundFile, parseTimestamp, type UncopiedEntry } from './found-entry.ts';
import { createPathFilter, type PathFilter } from './path-filter.ts';
import { walkLocal } from './walk-local.ts';

export type FindContext = VolumeContext & Pick<Context, 'settings'>;

export type FindOptions = Pick<CopyOptions, 'include' | 'exclude' | 'follow'>;

/**
 * Yields the files of all sources as they are found. A single folder stands for its contents; with several sources, each
 * keeps its name. `name` is the new name of a single file.
 */
export async function* findSourceFiles(
  sources: CopySource[],
  name: string | undefined,
  options: FindOptions,
  context: FindContext,
): AsyncGenerator<FoundEntry> {
  const filter = createPathFilter(options.include, options.exclude);
  for (const source of sources) {
    const prefix = source.isFolder && sources.length > 1 && source.name !== '' ? `${source.name}/` : '';
    if (source.isFolder) yield* inFolder(source.location, prefix, { ...options, filter }, context);
    else yield await singleFile(source, name ?? source.name, context);
  }
}

async function* inFolder(
  location: CopyEnd,
  prefix: string,
  { filter, follow }: FindOptions & { filter: PathFilter },
  context: FindContext,
): AsyncGenerator<FoundEntry> {
  if (location.kind === 'local') {
    const isTemporary = temporaryFilter(() => context.settings.folders.state);
    yield* walkLocal({ folder: location.path, prefix, filter, follow, isTemporary });
    return;
  }
  const at: VolumePath = { ...location.at, path: withTrailingSlash(location.at.path) };
  const obstacles: UncopiedEntry[] = [];
  // The copy is incomplete without them, and sync must not delete anything.
  const onUnreadableEntries = (folder: string, entries: number) =>
    void obstacles.push({
      path: prefix + (folder.slice(at.path.length) || '.'),
      failure: unreadEntriesError({ ...at, path: folder }, entries),
    });
  for await (const { path, size, modified } of walkVolume(context, at, { onUnreadableEntries })) {
    if (!filter.includes(path)) continue;
    const from = sourceOf(location, path);
    yield { path: prefix + path, bytes: size ?? undefined, modified: parseTimestamp(modified), from };
  }
  yield* obstacles;
}

/** Where the file at a path below a source folder is. */
export function sourceOf(folder: CopyEnd, path: string): FoundFile['from'] {
  if (folder.kind === 'local') return join(folder.path, path);
  return { ...folder.at, path: joinRemotePath(folder.at.path, path) };
}

async function singleFile({ location }: CopySource, path: string, context: VolumeContext): Promise<FoundEntry> {
  if (location.kind === 'web') return { path, bytes: undefined, modified: undefined, from: location.web };
  if (location.kind === 'local') {
    const { size, mtimeMs } = await stat(location.path);
    return { path, bytes: size, modified: mtimeMs, from: location.path };
  }
  const { size, modified } = await findEntry(context, location.at);
  return { path, bytes: size ?? undefined, modified: parseTimestamp(modified), from: location.at };
}
