import { compileGlob, type Glob } from '../../app/files/glob.ts';
import { UsageError } from '../../kernel/errors.ts';
import { withTrailingSlash } from '../transfer/remote-path.ts';
import type { ListedEntry } from './listed-entry.ts';
import { type VolumeContext, type VolumePath, walkEntries } from './walk-volume.ts';

/** A parsed pattern, or a plain path with its escapes removed. */
export type PathPattern = { plain: string } | { from: string; wild: Glob; onlyFolders: boolean };

/**
 * Splits `/logs/*.txt`, `/models/**` or `/run-[0-9]/` into the folder to walk and a glob. A backslash escapes the next
 * character, so `/a\*b` is a plain path. Throws UsageError for an invalid pattern.
 */
export function parsePathPattern(path: string): PathPattern {
  const names = path.slice(1).split('/');
  const first = names.findIndex((name) => isWild(name));
  if (first < 0) return { plain: unescaped(path) };
  const onlyFolders = path.endsWith('/');
  const wild = compileGlob(names.slice(first).join('/').replace(/\/$/, ''));
  if (wild) return { from: withTrailingSlash(`/${names.slice(0, first).map(unescaped).join('/')}`), wild, onlyFolders };
  throw new UsageError(`invalid pattern ${path}`, {
    why: 'it has an unclosed "[", a trailing "\\" or too many alternatives',
    fix: 'escape special characters in names with a backslash',
  });
}

/** The entries that match a pattern. Does not look into a folder that matches: its contents belong to it. */
export async function findMatches(
  context: VolumeContext,
  volume: Omit<VolumePath, 'path'>,
  { from, wild, onlyFolders }: Exclude<PathPattern, { plain: string }>,
): Promise<ListedEntry[]> {
  const relative = ({ path }: ListedEntry) => path.slice(from.length).replace(/\/$/, '');
  const matches: ListedEntry[] = [];
  const enters = (folder: ListedEntry) => !wild.matches(relative(folder)) && wild.reaches(relative(folder));
  for await (const entry of walkEntries(context, { ...volume, path: from }, { entersFolder: enters })) {
    if (wild.matches(relative(entry)) && (entry.isFolder || !onlyFolders)) matches.push(entry);
  }
  return matches;
}

function isWild(name: string): boolean {
  return /[*?[]|\{[^}]*,[^}]*\}/.test(name.replace(/\\./gs, ''));
}

function unescaped(text: string): string {
  return text.replace(/\\([*?[\]{},!\\])/g, '$1');
}
