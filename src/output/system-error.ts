import { FailedError } from '../errors.ts';

/**
 * What the operating system refused, as an expected failure: a full disk or a missing permission is not a mistake in
 * gantry. Undefined for everything else.
 */
export function toSystemError(error: unknown): FailedError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall, path } = error as NodeJS.ErrnoException;
  if (!syscall || !/^E[A-Z\d]+$/.test(code) || ours.has(code)) return undefined;
  const what = `${verbs[syscall.split(' ')[0] ?? ''] ?? syscall}${path === undefined ? '' : ` ${path}`}`;
  return new FailedError(`cannot ${what}: ${systemErrorReason(error.message)}`, { cause: error });
}

/** What the system says, without its code and the file: `ENOSPC: no space left on device, write` is one of these. */
export function systemErrorReason(message: string): string {
  return message.replace(/^E[A-Z\d]+: ([^,]+), \w+( .*)?$/, '$1');
}

/** Codes that only a program's own mistake brings about. */
const ours = new Set(['EBADF', 'EINVAL', 'EFAULT']);

const verbs: Record<string, string> = {
  access: 'access',
  chmod: 'change the permissions of',
  close: 'write',
  copyfile: 'copy',
  fsync: 'write',
  ftruncate: 'write',
  link: 'create',
  lstat: 'read',
  mkdir: 'create the folder',
  mkdtemp: 'create the folder',
  open: 'open',
  opendir: 'read the folder',
  read: 'read',
  readlink: 'read',
  realpath: 'read',
  rename: 'rename',
  rm: 'remove',
  rmdir: 'remove the folder',
  scandir: 'read the folder',
  spawn: 'start',
  stat: 'read',
  symlink: 'create',
  unlink: 'remove',
  utime: 'set the time of',
  write: 'write',
};
