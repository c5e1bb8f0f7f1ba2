import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** A folder whose commands use a profile, below it as well. */
export interface BoundFolder {
  folder: string;
  profile: string;
}

/** The nearest of a folder and its parents that is bound to a profile. `bound` has the profiles by folder. */
export function findBoundFolder(bound: Record<string, unknown>, start: string): BoundFolder | undefined {
  if (Object.keys(bound).length === 0) return undefined;
  for (let folder = realFolder(start); ; folder = dirname(folder)) {
    const profile = Object.hasOwn(bound, folder) ? bound[folder] : undefined;
    if (typeof profile === 'string' && profile) return { folder, profile };
    if (dirname(folder) === folder) return undefined;
  }
}

/** Without symbolic links, so that a folder is the same by whatever path it was entered. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
