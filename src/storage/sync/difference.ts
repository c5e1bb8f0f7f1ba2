import { nameKey } from '../../kernel/disk/index.ts';
import type { PackedList } from '../../kernel/packed-list.ts';
import type { Context } from '../../platform/context.ts';
import type { CopyOptions, FoundFile, UncopiedEntry } from '../copy/index.ts';

export interface Difference {
  added: Files;
  updated: Files;
  unchanged: number;
  /** Entries of the source that could not be read or are not regular files. */
  uncopied: UncopiedEntry[];
  /** Sorted paths that are only in the target. */
  extra: PackedList<string>;
}

type Files = Iterable<FoundFile> & { readonly length: number };

export type CompareOptions = Pick<CopyOptions, 'include' | 'exclude' | 'follow'>;
export type CompareContext = Pick<Context, 'api' | 'project' | 'settings'>;

/** Paths with equal keys may lead to the same file on some disk. */
export function pathKey(path: string): string {
  return path.split('/').map(nameKey).join('/');
}
