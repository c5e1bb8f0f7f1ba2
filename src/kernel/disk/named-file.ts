import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GantryError, systemCode, UsageError } from '../errors.ts';
import { toDiskError } from './disk-error.ts';
import { readFileOrPipeChunks } from './file-or-pipe.ts';
import { checkReadSize } from './read-limit.ts';
import { readToEnd } from './read-to-end.ts';

/**
 * Reads a file that the user named, which may be a FIFO or a device. Throws UsageError if it cannot be read or is larger
 * than `maxBytes`, and the reason of the signal when it aborts.
 */
export async function readNamedFile(
  { cwd, signal }: { cwd: string; signal: AbortSignal },
  file: string,
  maxBytes?: number,
): Promise<Buffer> {
  const path = resolve(cwd, file);
  try {
    checkReadSize(file, (await stat(path)).size, maxBytes);
    return await readToEnd(readFileOrPipeChunks(path, signal), { name: file, signal, maxBytes });
  } catch (cause) {
    return throwUnreadable(file, path, cause);
  }
}

/** Throws UsageError, unless the cause is an error of ours, such as an interrupt. */
export function throwUnreadable(file: string, path: string, cause: unknown): never {
  if (cause instanceof GantryError) throw cause;
  if (systemCode(cause) === 'ENOENT') throw new UsageError(`${file} not found`, { why: `looked for ${path}`, cause });
  throw new UsageError(`cannot read ${file}`, { why: toDiskError(cause).message, cause });
}
