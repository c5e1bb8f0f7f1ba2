import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { ReadLogOptions } from '../../calls/logs/index.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { type TimeFromNow, timeFlag, wholeNumberFlag } from './values.ts';

export interface LogFlags {
  follow?: true | undefined;
  since?: TimeFromNow | undefined;
  until?: TimeFromNow | undefined;
  tail?: number | undefined;
  failOnGap?: true | undefined;
}

/** Adds the flags of commands that print a log. */
export function logFlags<Inputs extends unknown[], Options extends OptionValues>(command: Commander<Inputs, Options>) {
  return command
    .option('-f, --follow', 'print new lines as they arrive, until Ctrl-C')
    .option('--since <time>', 'start at this time, or this long ago: 1h30m, 2d', timeFlag)
    .option('--until <time>', 'end at this time, or this long ago', timeFlag)
    .option('-n, --tail <number>', 'number of last lines to show, or "all"', tailFlag)
    .option('--timestamps', 'show the time of each line')
    .option('--raw', 'print lines unchanged, including control sequences')
    .option('--fail-on-gap', 'exit with 1 if lines may be missing');
}

/** `defaultTail`: lines to show if no flag says how far to go back. Throws UsageError if the range is invalid. */
export function readLogOptions(
  { now }: Pick<Context, 'now'>,
  flags: LogFlags,
  defaultTail = Number.POSITIVE_INFINITY,
): ReadLogOptions {
  const { follow, failOnGap } = flags;
  const [since, until] = [flags.since?.(now()), flags.until?.(now())];
  if (since !== undefined && until !== undefined && until < since) {
    throw new UsageError('invalid range: --until is before --since');
  }
  const tail = flags.tail ?? (since === undefined ? defaultTail : Number.POSITIVE_INFINITY);
  return {
    since,
    until,
    failOnGap,
    tail: Number.isFinite(tail) ? tail : undefined,
    // A range that is over has no new lines.
    follow: follow && (until === undefined || until > now()),
  };
}

const wholeNumber = wholeNumberFlag(0);

function tailFlag(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 0 up, or all.');
  return wholeNumber(text);
}
