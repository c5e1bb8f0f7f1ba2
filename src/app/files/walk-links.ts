import { realpathSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { mayBeOtherBytes, namedByBytes } from '../../kernel/disk/index.ts';
import { errorCode, type WalkProblems } from './walk-problems.ts';

/** Where a symbolic link of the app folder leads. Undefined, and a problem, if its target cannot be sent. */
export function resolveLink(
  link: { path: string; real: string },
  root: string,
  problems: WalkProblems,
): { real: string; stats: Stats } | undefined {
  try {
    const real = realpathSync(link.real);
    const { bytes } = mayBeOtherBytes(real) ? namedByBytes(realpathSync.native(link.real, 'buffer')) : {};
    if (bytes !== undefined) return void problems.addUnnamed(bytes);
    if (isInside(root, real)) return { real, stats: statSync(real) };
    problems.addOutside(link.path, real);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error))) problems.addReadError(link.path, error);
    else problems.addWarning(`skipped symbolic link ${link.path}: its target does not exist`);
  }
  return undefined;
}

/** Whether `path` is `folder` or below it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
