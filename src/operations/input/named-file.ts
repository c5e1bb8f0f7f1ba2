import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { readFileOrPipe } from '../../disk/index.ts';
import { GantryError, UsageError } from '../../errors.ts';

/** Reads a file that the user named, which may be a FIFO. Throws UsageError if it cannot be read. */
export async function readNamedFile({ cwd, signal }: Pick<Context, 'cwd' | 'signal'>, file: string): Promise<Buffer> {
  return readFileOrPipe(resolve(cwd, file), signal).catch((cause) => throwUnreadable(file, cause));
}

/** Throws UsageError, unless the cause is an error of ours, such as an interrupt. */
export function throwUnreadable(file: string, cause: unknown): never {
  if (cause instanceof GantryError) throw cause;
  throw new UsageError(`cannot read ${file}`, { why: (cause as Error).message, cause });
}
