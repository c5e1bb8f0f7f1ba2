import { join } from 'node:path';
import { nameKey, nameProbe, temporaryFilter, toDiskErrorOf } from '../../kernel/disk/index.ts';
import { systemCode } from '../../kernel/errors.ts';
import { byUnits, PackedList, sortPacked } from '../../kernel/packed-list.ts';
import type { Context } from '../../platform/context.ts';
import {
  type CopyEndSource,
  type CopyOptions,
  type CopyTarget,
  createPathFilter,
  diskToleranceMs,
  distinctNames,
  type FoundEntry,
  type FoundFile,
  findSourceFiles,
  isDeletedMeanwhile,
  isUnchanged,
  type PathFilter,
  sourceOf,
  type UncopiedEntry,
  walkLocal,
} from '../copy/index.ts';
import { type WalkedFile, walkVolume } from '../volumes/index.ts';

export interface Difference {
  added: FoundFiles;
  updated: FoundFiles;
  unchanged: number;
  /** Files that would be unchanged, if their contents are to be compared. */
  alike: FoundFiles;
  /** Entries of the source that could not be read or are not regular files. */
  uncopied: UncopiedEntry[];
  /** Sorted paths that are only in the target. */
  extra: PackedList<string>;
}

type FoundFiles = Iterable<FoundFile> & { readonly length: number };

type CompareOptions = Pick<CopyOptions, 'include' | 'exclude' | 'follow' | 'verify'>;
export type CompareContext = Pick<Context, 'api' | 'project' | 'settings'>;

/** An entry of one side, packed. Without bytes it is one of the source that is not copied. */
type PackedEntry = [
  key: string,
  side: 'source' | 'target',
  path: string,
  bytes: number | null,
  modified: number | null,
];

/** When names of a target folder are of one entry, and times of one version. */
interface TargetRules {
  keyOf: (path: string) => string;
  isSame: (a: string, b: string) => boolean;
  toleranceMs: number;
  distinct: (entries: AsyncGenerator<FoundEntry>) => AsyncGenerator<FoundEntry>;
}

const ofVolume: TargetRules = {
  keyOf: (path) => path,
  isSame: () => false,
  toleranceMs: 0,
  distinct: (entries) => entries,
};

const ofDisk = (folder: string): TargetRules => ({
  keyOf: nameKey,
  isSame: (a, b) => nameProbe.isSameEntry(folder, a, b),
  toleranceMs: diskToleranceMs,
  distinct: (entries) => distinctNames(entries, folder),
});

/** Compares a source with a target. The entries of both are sorted in memory, packed if they are many. */
export async function compare(
  source: CopyEndSource,
  { folder }: CopyTarget,
  options: CompareOptions,
  context: CompareContext,
): Promise<Difference> {
  const rules = folder.kind === 'local' ? ofDisk(folder.path) : ofVolume;
  const entries = new PackedList<PackedEntry>();
  const add = (side: PackedEntry[1], path: string, bytes: number | null, modified: number | null = null) =>
    entries.add([inFolderOrder(rules.keyOf(path)), side, path, bytes, modified]);
  const uncopied: UncopiedEntry[] = [];
  for await (const entry of rules.distinct(findSourceFiles([source], undefined, options, context))) {
    if ('bytes' in entry) add('source', entry.path, entry.bytes, entry.modified);
    else {
      uncopied.push(entry);
      add('source', entry.path, null);
    }
  }
  for await (const { path, bytes, modified } of findTargetFiles(folder, options, context))
    add('target', path, bytes, modified);
  return { uncopied, ...differences(source, entries, rules, options) };
}

/** Sorted by it, the files of a folder are beside each other: those of its subfolders come later. */
const inFolderOrder = (path: string) => path.replace(/\/(?=[^/]*$)/, '\0');

function differences(
  source: CopyEndSource,
  entries: Iterable<PackedEntry>,
  { isSame, toleranceMs }: TargetRules,
  { verify }: CompareOptions,
): Omit<Difference, 'uncopied'> {
  const added = new ChangedFiles(source);
  const updated = new ChangedFiles(source);
  const alike = new ChangedFiles(source);
  const extra = new PackedList<string>();
  let unchanged = 0;
  const judge = (file: PackedEntry, other: PackedEntry | undefined) => {
    if (file[3] === null) return;
    if (!other) added.add(file);
    else if (!isUnchanged(factsOf(file), factsOf(other), toleranceMs)) updated.add(file);
    else if (verify) alike.add(file);
    else unchanged++;
  };
  for (const ofKey of ofOneKey(sortPacked(entries, ([a], [b]) => byUnits(a, b)))) {
    const there = ofKey.filter(([, side]) => side === 'target');
    for (const file of ofKey.filter(([, side]) => side === 'source')) {
      // On a disk where `a` and `A` are equal, the target's `A` is the source's `a`: neither new nor extra.
      const other = there.find(([, , path]) => path === file[2]) ?? there.find(([, , path]) => isSame(file[2], path));
      judge(file, other);
      if (other) there.splice(there.indexOf(other), 1);
    }
    for (const [, , path] of there) extra.add(path);
  }
  return { added, updated, unchanged, alike, extra: PackedList.from(sortPacked(extra, byUnits)) };
}

const factsOf = ([, , , bytes, modified]: PackedEntry) => ({ bytes: bytes ?? 0, modified: modified ?? undefined });

function* ofOneKey(entries: Iterable<PackedEntry>): Generator<PackedEntry[]> {
  let alike: PackedEntry[] = [];
  for (const entry of entries) {
    if (alike.length > 0 && alike[0]?.[0] !== entry[0]) {
      yield alike;
      alike = [];
    }
    alike.push(entry);
  }
  if (alike.length > 0) yield alike;
}

/** Files to copy, packed. Their source follows from their path. */
class ChangedFiles implements Iterable<FoundFile> {
  readonly #files = new PackedList<PackedEntry>();

  constructor(private readonly source: CopyEndSource) {}

  get length(): number {
    return this.#files.length;
  }

  add(file: PackedEntry): void {
    this.#files.add(file);
  }

  *[Symbol.iterator](): Generator<FoundFile> {
    for (const file of this.#files)
      yield { path: file[2], ...factsOf(file), from: sourceOf(this.source.location, file[2]) };
  }
}

/** The files of a target folder; none of one that does not exist, or that another command deletes meanwhile. */
async function* findTargetFiles(
  folder: CopyTarget['folder'],
  { include, exclude }: CompareOptions,
  context: CompareContext,
): AsyncGenerator<WalkedFile> {
  const filter = createPathFilter(include, exclude);
  if (folder.kind === 'local') return yield* localFiles(folder.path, filter, context);
  for await (const file of walkVolume(context, folder.at, { missingIsEmpty: true }))
    if (filter.includes(file.path)) yield file;
}

async function* localFiles(
  folder: string,
  filter: PathFilter,
  { settings }: CompareContext,
): AsyncGenerator<WalkedFile> {
  const isTemporary = temporaryFilter(() => settings.folders.state);
  try {
    // Sync does not delete through symbolic links, so files behind them do not count.
    for await (const file of walkLocal({ folder, prefix: '', filter, follow: false, isTemporary })) {
      if ('failure' in file && !isDeletedMeanwhile(file))
        throw toDiskErrorOf(`cannot read ${join(folder, file.path)}`, file.failure);
      if ('bytes' in file) yield file;
    }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
