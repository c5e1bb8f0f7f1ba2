import { FailedError, GantryError } from '../errors.ts';

/** What the disk answered, in the user's words. The file is named by whoever knows which one is meant. */
export function toDiskError(cause: unknown): GantryError {
  if (cause instanceof GantryError) return cause;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  return new FailedError(reasons[code] ?? (cause instanceof Error ? cause.message : String(cause)), { cause });
}

const reasons: Record<string, string> = {
  ENOENT: 'it is gone, or the folder it belongs in is',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EISDIR: 'there is a folder of that name',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'something of that name is in the way',
  ENOTEMPTY: 'there is a folder of that name',
  ELOOP: 'it is a link, or links lead in a circle',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk can only be read',
  EFBIG: 'the disk cannot keep a file so large',
  ENAMETOOLONG: 'the name is too long for this disk',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reports an error',
};
