import { compileGlob } from '../../app/files/glob.ts';
import { UsageError } from '../../kernel/errors.ts';

export interface PathFilter {
  includes(path: string): boolean;
  /** Whether a folder is excluded with all of its contents. */
  excludesFolder(folder: string): boolean;
}

/** `*.bin` is a name at any depth, `models/*.bin` a path, `cache/` a folder. Excludes win over includes. */
export function createPathFilter(include: readonly string[], exclude: readonly string[]): PathFilter {
  const included = include.map(parsePattern);
  const excluded = exclude.map(parsePattern);
  const isExcluded = (path: string, isFolder: boolean) => excluded.some((each) => each(path, isFolder));
  return {
    includes: (path) =>
      (included.length === 0 || included.some((each) => each(path, false))) && !isExcluded(path, false),
    excludesFolder: (folder) => isExcluded(folder, true),
  };
}

type PathTest = (path: string, isFolder: boolean) => boolean;

function parsePattern(text: string): PathTest {
  const bare = text.replace(/^\.?\//, '').replace(/\/$/, '');
  const glob = compileGlob(bare);
  if (!glob || bare === '')
    throw new UsageError(`invalid pattern "${text}"`, { why: 'expected names such as *.bin, logs/ or **/*.txt' });
  const onlyFolders = text.endsWith('/');
  const anchored = text.slice(0, -1).includes('/');
  const test = (path: string) => glob.matches(anchored ? path : (path.split('/').at(-1) ?? path));
  // A pattern that matches a folder selects its contents: `--include models/`.
  const inside = (path: string) => [...path.matchAll(/\//g)].some(({ index }) => test(path.slice(0, index)));
  return (path, isFolder) => (test(path) && (isFolder || !onlyFolders)) || inside(path);
}
