import { defaultExclude } from '../app/collect.ts';
import type { AppConfig } from '../app/config.ts';
import { exclusionReason } from '../app/files/entry.ts';

/** Why the patterns of an app leave a file out, what helps, and the setting that says so. */
export function leftOut(path: string, { exclude }: AppConfig['deployment'], shownAs = path) {
  const { why, pattern } = exclusionReason(path, exclude ?? defaultExclude);
  return pattern === undefined
    ? { why, fix: `add "${shownAs}" to include`, setting: 'deployment.include' }
    : {
        why,
        fix: `remove "${pattern}" from exclude, or change it to match fewer files`,
        setting: 'deployment.exclude',
      };
}
