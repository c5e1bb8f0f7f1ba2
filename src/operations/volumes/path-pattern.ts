import { UsageError } from '../../errors.ts';
import { compileGlob, type Glob } from '../../project/files/glob.ts';
import { withTrailingSlash } from '../../transfer/remote-path.ts';
import { type ListedEntry, type VolumeContext, type VolumePath, walkEntries } from './walk-volume.ts';

/** A path as a pattern, or, when nothing in it stands for anything else, without its escapes. */
export type PathPattern = { plain: string } | { from: string; wild: Glob; onlyFolders: boolean };

/**
 * `/logs/*.txt`, `/models/**`, `/run-[0-9]/`: from which folder to look, and for what. A backslash takes the next
 * character as it is, so `/a\*b` is a plain path. Throws UsageError for a pattern that cannot be read.
 */
export function parsePathPattern(path: string): PathPattern {
  const names = path.slice(1).split('/');
  const first = names.findIndex((name) => isWild(name));
  if (first < 0) return { plain: unescaped(path) };
  const onlyFolders = path.endsWith('/');
  const wild = compileGlob(names.slice(first).join('/').replace(/\/$/, ''));
  if (wild) return { from: withTrailingSlash(`/${names.slice(0, first).map(unescaped).join('/')}`), wild, onlyFolders };
  throw new UsageError(`the pattern ${path} cannot be read`, {
    why: 'a "[" has no "]", a "\\" is the last character, or there are too many alternatives',
    fix: 'put a backslash before a character that is part of the name',
  });
}

/** What matches a pattern. Of a folder that matches nothing below it is told: it is all meant. */
export async function findMatches(
  calls: VolumeContext,
  place: Omit<VolumePath, 'path'>,
  { from, wild, onlyFolders }: Exclude<PathPattern, { plain: string }>,
): Promise<ListedEntry[]> {
  const relative = ({ path }: ListedEntry) => path.slice(from.length).replace(/\/$/, '');
  const found: ListedEntry[] = [];
  const enters = (folder: ListedEntry) => !wild.matches(relative(folder)) && wild.reaches(relative(folder));
  for await (const entry of walkEntries(calls, { ...place, path: from }, { entersFolder: enters })) {
    if (wild.matches(relative(entry)) && (entry.isFolder || !onlyFolders)) found.push(entry);
  }
  return found;
}

/** Whether a name holds what has a meaning in a pattern, other than behind a backslash. */
function isWild(name: string): boolean {
  return /[*?[]|\{[^}]*,[^}]*\}/.test(name.replace(/\\./gs, ''));
}

function unescaped(text: string): string {
  return text.replace(/\\([*?[\]{},!\\])/g, '$1');
}
