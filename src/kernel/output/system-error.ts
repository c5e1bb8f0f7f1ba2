import { FailedError, GantryError } from '../errors.ts';

/** What was thrown, as an expected failure. What none was made of is a bug of gantry. */
export function toGantryError(thrown: unknown): GantryError {
  return thrown instanceof GantryError ? thrown : (toSystemError(thrown) ?? new UnexpectedError(thrown));
}

class UnexpectedError extends GantryError {
  override readonly exit = 'bug';

  constructor(cause: unknown) {
    super(`unexpected error: ${cause instanceof Error ? cause.message : String(cause)}`, {
      why: 'this is a bug in gantry',
      fix: 'run the command again with --debug and report the output',
      cause,
    });
  }
}

/** An error of the operating system, such as a full disk, as an expected failure. Undefined for all other errors. */
export function toSystemError(error: unknown): FailedError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall, path } = error as NodeJS.ErrnoException;
  if (!syscall || !/^E[A-Z\d]+$/.test(code) || bugCodes.has(code)) return undefined;
  const what = `${verbs[syscall.split(' ')[0] ?? ''] ?? syscall}${path === undefined ? '' : ` ${path}`}`;
  return new FailedError(`cannot ${what}: ${systemErrorReason(error.message)}`, { cause: error });
}

/** `no space left on device` for `ENOSPC: no space left on device, write`. */
export function systemErrorReason(message: string): string {
  return message.replace(/^E[A-Z\d]+: ([^,]+), \w+( .*)?$/, '$1');
}

const bugCodes = new Set(['EBADF', 'EINVAL', 'EFAULT']);

const verbs: Record<string, string> = {
  chmod: 'change the permissions of',
  close: 'write',
  copyfile: 'copy',
  fsync: 'write',
  ftruncate: 'write',
  link: 'create',
  lstat: 'read',
  mkdir: 'create the folder',
  mkdtemp: 'create the folder',
  opendir: 'read the folder',
  readlink: 'read',
  realpath: 'read',
  rm: 'remove',
  rmdir: 'remove the folder',
  scandir: 'read the folder',
  spawn: 'start',
  stat: 'read',
  symlink: 'create',
  unlink: 'remove',
  utime: 'set the time of',
};
