import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import type { CopyOptions } from '../operations/copy/index.ts';
import { repeatableFlag, sizeFlag, wholeNumberFlag } from './values.ts';

const mib = 2 ** 20;

/** What `cp` and `sync` have in common. */
export function addCopyFlags<Inputs extends unknown[], Options extends OptionValues>(
  command: Commander<Inputs, Options>,
) {
  return command
    .option('--include <glob>', 'of folders, only files that match; may be repeated', repeatableFlag)
    .option('--exclude <glob>', 'of folders, no files or folders that match; may be repeated', repeatableFlag)
    .option('--no-follow', 'leave links out instead of copying what they lead to')
    .option('--rename-clashes', 'rename files whose names the target disk does not tell apart')
    .option('--dry-run', 'say what would be done, and stop')
    .option('--no-check', 'do not compare MD5s of what was sent and what arrived')
    .option('--verify', 'read everything back and compare it')
    .option('--no-continue', 'do not go on where the same copy was cut off')
    .option('--limit-rate <size>', 'bytes per second, such as 20MB', sizeFlag(1024))
    .option('--part-size <size>', 'of large files (16MiB if left out)', sizeFlag(5 * mib, 5 * 1024 * mib))
    .option('--concurrency <number>', 'requests at a time (64 small, 8 large if left out)', wholeNumberFlag(1, 256))
    .option('--events', 'print one JSON object per line as things happen');
}

interface Flags {
  include?: string[] | undefined;
  exclude?: string[] | undefined;
  follow: boolean;
  clobber?: boolean;
  update?: true | undefined;
  renameClashes?: true | undefined;
  dryRun?: true | undefined;
  check: boolean;
  verify?: true | undefined;
  continue: boolean;
  limitRate?: number | undefined;
  partSize?: number | undefined;
  concurrency?: number | undefined;
}

export function toCopyOptions(flags: Flags): CopyOptions {
  const { include = [], exclude = [], clobber = true, update = false, dryRun = false, verify = false } = flags;
  const { renameClashes = false, follow, check, continue: goesOn, limitRate, partSize, concurrency } = flags;
  return {
    ...{ include, exclude, follow, clobber, update, dryRun, check, verify, continue: goesOn, remember: true },
    ...{ renameClashes, limitRate, partSize, concurrency },
  };
}

/** The fields of how a copy went. */
export const copySummaryFields = {
  from: 'the sources',
  to: 'the target',
  files: 'files that are copied now (--dry-run: would be)',
  bytes: 'their size',
  skipped: 'files that were left out',
  failed: 'path, reason and code of each file that failed',
  renamed: 'path and new name (as) of each file and folder that --rename-clashes renamed',
  resumedBytes: 'of the bytes, those that an earlier try had copied',
  seconds: 'time it took',
  dryRun: 'whether this is only what would be done',
};
