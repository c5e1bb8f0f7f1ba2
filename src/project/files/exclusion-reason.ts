import { posix } from 'node:path';
import { isExcludedByDefault, parseExcludes } from './patterns.ts';

/** Why a file that is there is not among those collected: the pattern that leaves it out, or that none takes it. */
export function exclusionReason(path: string, exclude: readonly string[]): string {
  const { patterns } = parseExcludes(exclude);
  for (const [part, isFolder] of withFolders(path)) {
    const name = posix.basename(part);
    const pattern = patterns.find((each) => each.matches(part, name, isFolder));
    if (pattern) return `exclude pattern "${pattern.text}" leaves out ${part}`;
    if (isExcludedByDefault(name)) return `${part} is left out unless an include pattern names it`;
  }
  return 'no include pattern takes it, or it lies in a virtual environment';
}

/** `a/b/c.py` as `a`, `a/b` and `a/b/c.py`. */
function withFolders(path: string): [part: string, isFolder: boolean][] {
  const names = path.split('/');
  return names.map((_, index) => [names.slice(0, index + 1).join('/'), index < names.length - 1]);
}
