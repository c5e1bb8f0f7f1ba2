import { sortPacked } from '../../packed-list.ts';

interface Named {
  name: string;
  isFolder: boolean;
}

/**
 * The entries of a folder in the order of their names: the platform promises none. It has one as a rule, perhaps folders
 * and files apart; then nothing is sorted.
 */
export function sortEntries<Entry extends Named>(entries: Iterable<Entry>): Iterable<Entry> {
  return isSorted(entries) ? entries : sortPacked(entries, byName);
}

function isSorted(entries: Iterable<Named>): boolean {
  const last = { file: '', folder: '' };
  for (const { name, isFolder } of entries) {
    const kind = isFolder ? 'folder' : 'file';
    if (name < last[kind]) return false;
    last[kind] = name;
  }
  return true;
}

function byName(one: Named, other: Named): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
