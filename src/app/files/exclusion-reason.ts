import { posix } from 'node:path';
import { isExcludedByDefault, parseExcludes } from './patterns.ts';

/** Why an existing file is not sent: the exclude pattern, or that no include pattern matches. */
export function exclusionReason(path: string, exclude: readonly string[]): { why: string; pattern?: string } {
  const { patterns } = parseExcludes(exclude);
  for (const [part, isFolder] of withFolders(path)) {
    const name = posix.basename(part);
    const pattern = patterns.find((each) => each.matches(part, name, isFolder));
    if (pattern) return { why: `exclude pattern "${pattern.text}" matches ${part}`, pattern: pattern.text };
    if (isExcludedByDefault(name)) return { why: `${part} is excluded unless an include pattern names it` };
  }
  return { why: 'no include pattern matches it, or it is in a virtual environment' };
}

/** `a/b/c.py` as `a`, `a/b` and `a/b/c.py`. */
function withFolders(path: string): [part: string, isFolder: boolean][] {
  const names = path.split('/');
  return names.map((_, index) => [names.slice(0, index + 1).join('/'), index < names.length - 1]);
}
