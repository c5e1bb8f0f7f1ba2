import { readRegularBytesSync } from '../kernel/disk/index.ts';
import { attempt } from '../kernel/errors.ts';

/** The text of a file; undefined if there is none, or if it is a pipe or a device. */
export function readTextIfPresent(path: string): string | undefined {
  return readBytesIfPresent(path)?.toString();
}

export function readBytesIfPresent(path: string): Buffer | undefined {
  return attempt(() => readRegularBytesSync(path));
}
