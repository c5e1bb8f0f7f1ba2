import { UsageError } from '../../errors.ts';
import { compileGlob } from '../../project/files/glob.ts';

/** Which of the files below a folder are meant. */
export interface PathFilter {
  includes(path: string): boolean;
  /** Whether a folder need not be looked into. */
  excludesFolder(folder: string): boolean;
}

/**
 * `*.bin` is a name at any depth, `models/*.bin` a path from the source folder, `cache/` a folder. What is excluded is
 * out even if it is included. Throws a UsageError for a pattern that cannot be read.
 */
export function createPathFilter(include: readonly string[], exclude: readonly string[]): PathFilter {
  const [included, excluded] = [include.map(pattern), exclude.map(pattern)];
  const out = (path: string, isFolder: boolean) => excluded.some((each) => each(path, isFolder));
  return {
    includes: (path) => (included.length === 0 || included.some((each) => each(path, false))) && !out(path, false),
    excludesFolder: (folder) => out(folder, true),
  };
}

type Test = (path: string, isFolder: boolean) => boolean;

function pattern(text: string): Test {
  const bare = text.replace(/^\.?\//, '').replace(/\/$/, '');
  const found = compileGlob(bare);
  if (!found || bare === '')
    throw new UsageError(`the pattern "${text}" cannot be read`, { fix: 'see gantry cp --help' });
  const onlyFolders = text.endsWith('/');
  const anchored = text.slice(0, -1).includes('/');
  const test = (path: string) => found.matches(anchored ? path : (path.split('/').at(-1) ?? path));
  // A file in a folder that is meant is meant as well: `--include models/`.
  const inside = (path: string) => foldersAbove(path).some(test);
  return (path, isFolder) => (test(path) && (isFolder || !onlyFolders)) || inside(path);
}

/** `a/b/c` is in `a` and `a/b`. */
function foldersAbove(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}
