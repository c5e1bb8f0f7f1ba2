import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { defined } from '../../kernel/json-text.ts';
import { type CopyOptions, usualCopy } from '../../storage/copy/index.ts';
import type { FlagsOf, NoFlags } from '../command.ts';
import { repeatableFlag, sizeFlag, wholeNumberFlag } from './values.ts';

const mib = 2 ** 20;

export function addCopyFlags<Inputs extends unknown[], Flags extends OptionValues>(command: Commander<Inputs, Flags>) {
  return command
    .option('--include <glob>', 'copy only matching files (repeatable)', repeatableFlag)
    .option('--exclude <glob>', 'skip matching files and folders (repeatable)', repeatableFlag)
    .option('--no-follow', 'skip symbolic links')
    .option('--dry-run', 'show what would be copied')
    .option('--no-checksum', 'skip checksum comparison during transfer')
    .option('--verify', 'read the files back and compare checksums')
    .option('--no-resume', 'start over instead of resuming')
    .option('--limit-rate <size>', 'limit bandwidth, for example 20MB per second', sizeFlag(1024))
    .option('--part-size <size>', 'size of parts (default: adaptive)', sizeFlag(5 * mib, 5 * 1024 * mib))
    .option('--concurrency <n>', 'requests in flight (default: adaptive)', wholeNumberFlag(1, 256))
    .option('--events', 'print progress as JSON lines');
}

export type CopyFlags = FlagsOf<typeof addCopyFlags<[], NoFlags>> & { clobber?: boolean; update?: true | undefined };

export function toCopyOptions({ checksum, ...flags }: CopyFlags): CopyOptions {
  return { ...usualCopy, ...defined(flags), check: checksum };
}
