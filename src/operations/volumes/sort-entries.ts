import { sortPacked } from '../../packed-list.ts';
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
  for (const { other } of eachOnce(all)) contradicting += other;
  const sorted = {
    *[Symbol.iterator]() {
      for (const { entry, other } of eachOnce(all)) if (other === 0) yield entry;
    },
  };
  return { sorted, contradicting };
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

/** Leaves out entries that are the same as one before; `other` is 1 for one that contradicts it. */
function* eachOnce(sorted: Iterable<ListedEntry>): Generator<{ entry: ListedEntry; other: 0 | 1 }> {
  const last: { file?: ListedEntry; folder?: ListedEntry } = {};
  for (const entry of sorted) {
    const kind = entry.isFolder ? 'folder' : 'file';
    const before = last[kind];
    if (before?.name !== entry.name) {
      last[kind] = entry;
      yield { entry, other: 0 };
    } else if (before.size !== entry.size || before.modified !== entry.modified) yield { entry, other: 1 };
  }
}

function byName(one: ListedEntry, other: ListedEntry): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
