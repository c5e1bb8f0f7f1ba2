import { type Stats, statSync } from 'node:fs';

/**
 * The first of these paths that other users can write, by its owner and mode, or because another user owns it. What is in
 * it may not be ours: it must not be deployed, executed or believed. Undefined on Windows, where modes say nothing, and for
 * paths that do not exist.
 */
export function findWritableByOthers(...paths: readonly string[]): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  return paths.find((path) => {
    const stats = statIfThere(path);
    return stats !== undefined && (stats.uid !== uid || (stats.mode & 0o022) !== 0);
  });
}

/** Undefined also for what cannot be reached: then it cannot be used either. */
function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Throws if other users can write one of these paths. */
export function checkWritableByUserOnly(...paths: readonly string[]): void {
  const path = findWritableByOthers(...paths);
  if (path !== undefined) throw new Error(`other users can write ${path}`);
}
