import { posix } from 'node:path';
import { ConflictError, UsageError } from '../../kernel/errors.ts';
import type { CopyEndSource, CopyTarget } from '../copy/index.ts';
import { withTrailingSlash } from '../transfer/remote-path.ts';
import {
  formatRemotePath,
  inLane,
  listCompletely,
  listIfExists,
  singleLine,
  type VolumeContext,
  type VolumePath,
} from '../volumes/index.ts';

/** Throws a UsageError if one folder is in the other: what is deleted in the target would be deleted in the source, too. */
export function checkApart({ location }: CopyEndSource, { folder }: CopyTarget): void {
  if (location.kind !== 'remote' || folder.kind !== 'remote') return;
  const [source, target] = [location.at, folder.at];
  if (source.volume !== target.volume || source.region !== target.region) return;
  const [from, to] = [source, target].map(({ path }) => withTrailingSlash(path)) as [string, string];
  if (!from.startsWith(to) && !to.startsWith(from)) return;
  throw new UsageError(`${formatRemotePath(source)} and ${formatRemotePath(target)} overlap`, {
    why: '--delete would delete files of the source',
    fix: 'pass two folders of which neither is in the other, or leave out --delete',
  });
}

/**
 * Looks again at the folders of a volume in which files are missing that would be deleted in the target. A list without
 * entries may be a lost answer: where a folder that exists lists nothing, or a file is listed after all, this throws a
 * ConflictError.
 */
export async function checkMissing(
  context: VolumeContext,
  { location }: CopyEndSource,
  extra: Iterable<string>,
): Promise<void> {
  if (location.kind !== 'remote') return;
  const root: VolumePath = { ...location.at, path: withTrailingSlash(location.at.path) };
  const at = (folder: string): VolumePath => ({ ...root, path: folder === '.' ? root.path : `${root.path}${folder}/` });
  const lists = new Map<string, Promise<Set<string>>>();
  const list = (folder: string): Promise<Set<string>> => {
    const names = lists.get(folder) ?? listNames(context, at(folder));
    lists.set(folder, names);
    return names;
  };
  await inLane(maxListings, new Set(Array.from(extra, (path) => posix.dirname(path))), async (folder) => {
    await list(folder);
  });
  for (const path of extra) {
    let folder = posix.dirname(path);
    if ((await list(folder)).has(posix.basename(path))) throw listedAgainError({ ...root, path: root.path + path });
    for (; folder !== '.'; folder = posix.dirname(folder)) {
      const isListed = (await list(posix.dirname(folder))).has(`${posix.basename(folder)}/`);
      if (isListed && (await list(folder)).size === 0) throw emptiedError(at(folder));
    }
    if ((await list(folder)).size === 0) throw emptiedError(root);
  }
}

const maxListings = 8;

/** The names of folders end in a slash. */
async function listNames(context: VolumeContext, folder: VolumePath): Promise<Set<string>> {
  const entries = await listIfExists(context, folder, listCompletely);
  return new Set(entries.map(({ name, isFolder }) => (isFolder ? `${name}/` : name)));
}

function emptiedError(folder: VolumePath): ConflictError {
  return new ConflictError(`nothing was deleted: ${singleLine(formatRemotePath(folder))} lists nothing`, {
    why: 'the list of a folder may be lost, and everything in its place in the target would be deleted',
    fix: 'if the folder is empty, delete its files in the target yourself, then run the same command again',
    retryable: true,
  });
}

function listedAgainError(file: VolumePath): ConflictError {
  return new ConflictError(
    `nothing was deleted: ${singleLine(formatRemotePath(file))} is listed now, and was not before`,
    {
      fix: 'run the same command again',
      retryable: true,
    },
  );
}
