import type { Command as Commander, OptionValues } from '@commander-js/extra-typings';
import { count, groupDigits } from '../../kernel/output/format.ts';
import type { Progress } from '../../kernel/output/progress.ts';
import { wholeNumberFlag } from './values.ts';

export interface ListFlags {
  limit: number;
  all?: true | undefined;
}

export function listFlags<Inputs extends unknown[], Options extends OptionValues>(command: Commander<Inputs, Options>) {
  const flagged = command
    .option('-n, --limit <number>', 'maximum number of entries to show', wholeNumberFlag(1), 100)
    .option('--all', 'show all entries');
  flagged.options.at(-1)?.conflicts('limit');
  return flagged;
}

/** Returns the first entries, up to --limit. A note below them says if there are more. */
export function applyLimit<Entry>(
  entries: Entry[],
  { limit, all }: ListFlags,
  progress: Progress,
  ...noun: [one: string, many?: string]
): Entry[] {
  if (all || entries.length <= limit) return entries;
  progress.footnote(`showing ${groupDigits(limit)} of ${count(entries.length, ...noun)}; pass --all to show the rest`);
  return entries.slice(0, limit);
}
