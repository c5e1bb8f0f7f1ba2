import { readRegularSync } from '../disk/index.ts';

/** The text of a file; undefined if there is none, or if it is a pipe or a device. */
export function readTextIfPresent(path: string): string | undefined {
  try {
    return readRegularSync(path);
  } catch {
    return undefined;
  }
}
