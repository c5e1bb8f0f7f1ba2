import type { CommandLine } from '../kernel/command-line.ts';
import { NotFoundError, UsageError } from '../kernel/errors.ts';
import { count } from '../kernel/output/format.ts';

const minLength = 6;

/** Ids are UUIDs, as far as is known. Another spelling is a whole id or the beginning of one. */
const wholeId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const beginningOfId = /^[\da-f]{1,8}$|^[\da-f]{8}-[\da-f-]*$/i;

/** Whether a run may have this id: those are UUIDs (docs/platform.md#identifiers). */
export const mayBeRunId = (id: string): boolean => wholeId.test(id);

/** What a word says about a build or a run: its id, the beginning of one, or the latest with a result. */
export type IdWord =
  | { id: string; mayBeBeginning: boolean }
  | { beginning: string }
  | { latest: 'any' | 'succeeded' | 'failed' };

/** Reads `20ba8ea8`, `latest`, `latest:failed`. Without a word: the latest. Throws UsageError. */
export function readIdWord(word = 'latest'): IdWord {
  const result = latestWords.get(word);
  if (result) return { latest: result };
  const [meant] = /^latest(?=:)|^(last|newest)$/.exec(word) ?? [];
  if (meant !== undefined) {
    throw new UsageError(`unknown "${word}": expected latest, latest:succeeded or latest:failed`, {
      corrected: { typed: word, meant: 'latest', isExample: meant === 'latest' },
    });
  }
  if (wholeId.test(word)) return { id: word, mayBeBeginning: false };
  return beginningOfId.test(word) ? { beginning: word } : { id: word, mayBeBeginning: word.length >= minLength };
}

const latestWords = new Map<string, 'any' | 'succeeded' | 'failed'>([
  ['latest', 'any'],
  ['latest:succeeded', 'succeeded'],
  ['latest:failed', 'failed'],
]);

/** Throws UsageError for `latest`: by the time it is canceled, another one may be the latest. */
export function refuseLatest(word: string, noun: string, list: CommandLine): void {
  if (/^latest(:|$)/.test(word))
    throw new UsageError(`name the ${noun}: ${word} may be another one by now`, { fix: list });
}

interface Candidates<Item> {
  noun: string;
  app: string;
  items: readonly Item[];
  list: CommandLine;
}

/** The only one with this id or this beginning of an id; undefined without one. Throws UsageError if there are several. */
export function findByBeginning<Item extends { id: string }>(
  word: string,
  { noun, app, items, list }: Candidates<Item>,
): Item | undefined {
  const exact = items.find(({ id }) => id === word);
  const matches = exact ? [exact] : items.filter(({ id }) => id.toLowerCase().startsWith(word.toLowerCase()));
  if (matches.length === 0 || (matches.length === 1 && (exact || word.length >= minLength))) return matches[0];
  const ids = matches.slice(0, 5).map(({ id }) => id);
  const why = `${matches.length > 5 ? 'among others: ' : ''}${ids.join(', ')}`;
  if (matches.length === 1) {
    const message = `"${word}" is too short for the beginning of an id: at least ${minLength} characters`;
    throw new UsageError(message, { why, fix: list });
  }
  throw new UsageError(`"${word}" names ${count(matches.length, noun)} of ${app}`, { why, fix: list });
}

export function noneFound(word: string, { noun, app, list }: Omit<Candidates<never>, 'items'>): NotFoundError {
  const [, result] = word.split(':');
  const message = result
    ? `no ${noun} of ${app} has ${result === 'failed' ? 'failed' : 'succeeded'}`
    : `no ${noun} ${word} of ${app}`;
  return new NotFoundError(message, { fix: list });
}
