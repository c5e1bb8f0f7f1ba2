import { FailedError, GantryError, systemCode } from '../errors.ts';

/** Describes a system error. The caller adds the path. */
export function toDiskError(cause: unknown): GantryError {
  if (cause instanceof GantryError) return cause;
  const code = systemCode(cause);
  return new FailedError(reasons[code] ?? (cause instanceof Error ? cause.message : String(cause)), { cause });
}

/** The same with what was tried: `cannot write plan.json`. */
export function toDiskErrorOf(what: string, cause: unknown): GantryError {
  const { message, facts } = toDiskError(cause);
  return new FailedError(`${what}: ${message}`, facts);
}

const reasons: Record<string, string> = {
  ENOENT: 'file or folder not found',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EISDIR: 'a folder with that name exists',
  ENOTDIR: 'part of its path is a file, not a folder',
  EEXIST: 'a file with that name exists',
  ENOTEMPTY: 'a folder with that name exists',
  ELOOP: 'it is a symbolic link, or symbolic links form a loop',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EFBIG: 'the file is too large for this disk',
  ENAMETOOLONG: 'the name is too long for this disk',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'I/O error',
};
