import { open, rename, rm, stat } from 'node:fs/promises';
import { FailedError } from '../errors.ts';

/**
 * Writes a text file. An older one of that name stays until the new one is whole; a pipe or a device is written to.
 * Throws FailedError when it cannot be written.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const replaces = !found || found.isFile();
  const target = replaces ? `${path}.part` : path;
  try {
    const file = await open(target, 'w');
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    if (replaces) await rename(target, path);
  } catch (error) {
    if (replaces) await rm(target, { force: true }).catch(() => {});
    throw new FailedError(`cannot write ${path}`, { why: (error as Error).message, cause: error });
  }
}
