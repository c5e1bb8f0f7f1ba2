import { stat } from 'node:fs/promises';
import type { Context } from '../../context.ts';
import { temporaryFilter } from '../../disk/index.ts';
import { type GantryError, UnexpectedReplyError } from '../../errors.ts';
import { count } from '../../output/format.ts';
import { joinRemotePath, withTrailingSlash } from '../../transfer/remote-path.ts';
import { findEntry, type VolumeCalls, type VolumePath, walkVolume } from '../volumes/index.ts';
import type { Source } from './copy-paths.ts';
import { type Filter, filterOf } from './filter.ts';
import type { Found, Obstacle } from './found-file.ts';
import type { CopyOptions } from './options.ts';
import { timeOf } from './unchanged.ts';
import { walkLocal } from './walk-local.ts';

export type FindingCalls = VolumeCalls & Pick<Context, 'settings'>;

/**
 * Finds the files of all sources while they are asked for. Of one folder the content is meant; one of several keeps its
 * name. `name` is what a single file is to be called.
 */
export async function* findFiles(
  sources: Source[],
  name: string | undefined,
  options: Pick<CopyOptions, 'include' | 'exclude' | 'follow'>,
  calls: FindingCalls,
): AsyncGenerator<Found> {
  const filter = filterOf(options.include, options.exclude);
  for (const source of sources) {
    const prefix = source.isFolder && sources.length > 1 && source.name !== '' ? `${source.name}/` : '';
    if (source.isFolder) yield* inFolder(source, prefix, filter, options.follow, calls);
    else yield await single(source, name ?? source.name, calls);
  }
}

async function* inFolder(
  { place }: Source,
  prefix: string,
  filter: Filter,
  follow: boolean,
  calls: FindingCalls,
): AsyncGenerator<Found> {
  if (place.kind === 'local') {
    const isTemporary = temporaryFilter(() => calls.settings.folders.state);
    yield* walkLocal({ folder: place.path, prefix, filter, follow, isTemporary });
    return;
  }
  const at: VolumePath = { ...place.at, path: withTrailingSlash(place.at.path) };
  const obstacles: Obstacle[] = [];
  const onUnread = (folder: string, entries: number) =>
    obstacles.push({ path: prefix + (folder.slice(at.path.length) || '.'), failure: unreadEntries(folder, entries) });
  for await (const { path, size, modified } of walkVolume(calls, at, onUnread)) {
    if (!filter.wants(path)) continue;
    const from = { ...at, path: joinRemotePath(at.path, path) };
    yield { path: prefix + path, bytes: size ?? undefined, modified: timeOf(modified), from };
  }
  yield* obstacles;
}

/** A copy of a folder is not whole without them, and nothing may be deleted because they were not seen. */
function unreadEntries(folder: string, entries: number): GantryError {
  return new UnexpectedReplyError(`${count(entries, 'entry', 'entries')} of ${folder} could not be read`, {
    why: 'the platform lists them in a form that is not known: gantry ls --json shows what it says',
  });
}

async function single({ place }: Source, path: string, calls: VolumeCalls): Promise<Found> {
  if (place.kind === 'local') {
    const { size, mtimeMs } = await stat(place.path);
    return { path, bytes: size, modified: mtimeMs, from: place.path };
  }
  const { size, modified } = await findEntry(calls, place.at);
  return { path, bytes: size ?? undefined, modified: timeOf(modified), from: place.at };
}
