import { ProjectError } from '../../kernel/errors.ts';
import type { FileEntry } from '../files/entry.ts';

/** The error of a file that cannot be packed. */
export function unreadable(
  { path }: FileEntry,
  { code, message: why }: { code?: string; message: string },
): ProjectError {
  const message = code === 'ENOENT' ? `${path} was deleted while it was packed` : `cannot read ${path}`;
  return new ProjectError(message, [{ severity: 'error', message, why }], { why });
}
