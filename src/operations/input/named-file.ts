import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { readNamed } from '../../disk/index.ts';
import { GantryError, UsageError } from '../../errors.ts';

/** The content of a file as the user named it; a FIFO will do. Throws UsageError when it cannot be read. */
export async function readNamedFile({ cwd, signal }: Pick<Context, 'cwd' | 'signal'>, file: string): Promise<Buffer> {
  return readNamed(resolve(cwd, file), signal).catch((cause) => unreadable(file, cause));
}

/** Being interrupted is no fault of the file. */
export function unreadable(file: string, cause: unknown): never {
  if (cause instanceof GantryError) throw cause;
  throw new UsageError(`${file} cannot be read`, { why: (cause as Error).message, cause });
}
