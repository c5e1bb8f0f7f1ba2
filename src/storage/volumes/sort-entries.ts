import { sortPacked } from '../../kernel/packed-list.ts';
import type { ListedEntry } from './listed-entry.ts';

/**
 * The entries of a folder in the order of their names, each once: the platform promises neither. As a rule it has one,
 * perhaps folders and files apart; then nothing is sorted. `contradicting` counts entries that are listed again with
 * another size or time.
 */
export function sortEntries(entries: Iterable<ListedEntry>): { sorted: Iterable<ListedEntry>; contradicting: number } {
  if (isAscending(entries)) return { sorted: entries, contradicting: 0 };
  const all = sortPacked(entries, byName);
  let contradicting = 0;
  for (const _ of eachOnce(all, () => void contradicting++));
  return { sorted: { [Symbol.iterator]: () => eachOnce(all) }, contradicting };
}

function isAscending(entries: Iterable<ListedEntry>): boolean {
  const last = { file: '', folder: '' };
  for (const { name, isFolder } of entries) {
    const kind = isFolder ? 'folder' : 'file';
    if (name <= last[kind]) return false;
    last[kind] = name;
  }
  return true;
}

function* eachOnce(sorted: Iterable<ListedEntry>, contradicts = () => {}): Generator<ListedEntry> {
  const last: { file?: ListedEntry; folder?: ListedEntry } = {};
  for (const entry of sorted) {
    const kind = entry.isFolder ? 'folder' : 'file';
    const before = last[kind];
    last[kind] = entry;
    if (before?.name !== entry.name) yield entry;
    else if (before.size !== entry.size || before.modified !== entry.modified) contradicts();
  }
}

function byName(one: ListedEntry, other: ListedEntry): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
