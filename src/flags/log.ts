import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { ReadLogOptions } from '../operations/logs/index.ts';
import { type TimeFromNow, timeFlag, wholeNumberFlag } from './values.ts';

export interface LogFlags {
  follow?: true | undefined;
  since?: TimeFromNow | undefined;
  until?: TimeFromNow | undefined;
  tail?: number | undefined;
  failOnGap?: true | undefined;
}

/** The flags of commands that print a log. */
export function logFlags<Inputs extends unknown[], Options extends OptionValues>(command: Commander<Inputs, Options>) {
  return command
    .option('-f, --follow', 'go on with new lines as they come, until Ctrl-C')
    .option('--since <time>', 'from then on, or so long ago: 1h30m, 2d', timeFlag)
    .option('--until <time>', 'up to then, or to so long ago', timeFlag)
    .option('--tail <number>', 'the last lines only, so many of them; "all" for all', tailFlag)
    .option('--timestamps', 'put the time before each line')
    .option('--raw', 'print lines byte for byte, whatever they do to the terminal')
    .option('--fail-on-gap', 'end with exit code 1 where lines may be missing');
}

/** `usually` is how many lines are shown when no flag says how far to go back. */
export function readLogOptions(
  { now }: Pick<Context, 'now'>,
  flags: LogFlags,
  usually = Number.POSITIVE_INFINITY,
): ReadLogOptions {
  const { follow, failOnGap } = flags;
  const [since, until] = [flags.since?.(now()), flags.until?.(now())];
  if (since !== undefined && until !== undefined && until < since) {
    throw new UsageError('the range ends before it begins: look at --since and --until');
  }
  const tail = flags.tail ?? (since === undefined ? usually : Number.POSITIVE_INFINITY);
  return {
    ...{ since, until, failOnGap, tail: Number.isFinite(tail) ? tail : undefined },
    // What is over cannot be followed.
    follow: follow && (until === undefined || until > now()),
  };
}

const wholeNumber = wholeNumberFlag(0);

function tailFlag(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Write a whole number from 0 up, or all.');
  return wholeNumber(text);
}
