import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { count, groupDigits } from '../output/format.ts';
import type { Progress } from '../output/progress.ts';
import { wholeNumberFlag } from './values.ts';

export interface ListFlags {
  limit: number;
  all?: true | undefined;
}

/** The flags of every list. */
export function listFlags<Inputs extends unknown[], Options extends OptionValues>(command: Commander<Inputs, Options>) {
  const flagged = command
    .option('--limit <number>', 'show no more than this', wholeNumberFlag(1), 100)
    .option('--all', 'show everything');
  flagged.options.at(-1)?.conflicts('limit');
  return flagged;
}

/** The first entries of a list, as many as were asked for. That there are more is said. */
export function applyLimit<Entry>(
  entries: Entry[],
  { limit, all }: ListFlags,
  progress: Progress,
  ...noun: [one: string, many?: string]
): Entry[] {
  if (all || entries.length <= limit) return entries;
  progress.note(`${groupDigits(limit)} of ${count(entries.length, ...noun)}; --all shows the rest`);
  return entries.slice(0, limit);
}
