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
  type FoundFile,
  findSourceFiles,
  isDeletedMeanwhile,
  isUnchanged,
  type PathFilter,
  sourceOf,
  type UncopiedEntry,
  walkLocal,
} from '../copy/index.ts';
import { type VolumePath, type WalkedFile, walkVolume } from '../volumes/index.ts';

export interface Difference {
  added: FoundFiles;
  updated: FoundFiles;
  unchanged: number;
  /** Entries of the source that could not be read or are not regular files. */
  uncopied: UncopiedEntry[];
  /** Sorted paths that are only in the target. */
  extra: PackedList<string>;
}

type FoundFiles = Iterable<FoundFile> & { readonly length: number };

type CompareOptions = Pick<CopyOptions, 'include' | 'exclude' | 'follow'>;
export type CompareContext = Pick<Context, 'api' | 'project' | 'settings'>;

/** An entry of one side, packed. Without bytes it is one of the source that is not copied. */
type PackedEntry = [
  key: string,
  side: 'source' | 'target',
  path: string,
  bytes: number | null,
  modified: number | null,
];

/** Compares a source with a target. The entries of both are sorted in memory, packed if they are many. */
export async function compare(
  source: CopyEndSource,
  { folder }: CopyTarget,
  options: CompareOptions,
  context: CompareContext,
): Promise<Difference> {
  const isLocal = folder.kind === 'local';
  const entries = new PackedList<PackedEntry>();
  const add = (
    side: PackedEntry[1],
    path: string,
    { bytes, modified }: { bytes?: number; modified?: number | undefined },
  ) => entries.add([inFolderOrder(isLocal ? nameKey(path) : path), side, path, bytes ?? null, modified ?? null]);
  const uncopied: UncopiedEntry[] = [];
  const found = findSourceFiles([source], undefined, options, context);
  for await (const entry of isLocal ? distinctNames(found, folder.path) : found) {
    if (!('bytes' in entry)) uncopied.push(entry);
    add('source', entry.path, 'bytes' in entry ? entry : {});
  }
  for await (const file of findTargetFiles(folder, options, context)) add('target', file.path, file);
  const isSame = (one: string, other: string) => isLocal && nameProbe.isSameEntry(folder.path, one, other);
  return { uncopied, ...differences(source, entries, isSame, isLocal ? diskToleranceMs : 0) };
}

/** Sorted by it, the files of a folder are beside each other: those of its subfolders come later. */
const inFolderOrder = (path: string) => path.replace(/\/(?=[^/]*$)/, '\0');

function differences(
  source: CopyEndSource,
  entries: Iterable<PackedEntry>,
  isSame: (one: string, other: string) => boolean,
  toleranceMs: number,
): Omit<Difference, 'uncopied'> {
  const added = new ChangedFiles(source);
  const updated = new ChangedFiles(source);
  const extra = new PackedList<string>();
  let unchanged = 0;
  const judge = (file: PackedEntry, other: PackedEntry | undefined) => {
    if (file[3] === null) return;
    if (!other) added.add(file);
    else if (isUnchanged(factsOf(file), factsOf(other), toleranceMs)) unchanged++;
    else updated.add(file);
  };
  for (const alike of ofOneKey(sortPacked(entries, ([one], [other]) => byUnits(one, other)))) {
    const there = alike.filter(([, side]) => side === 'target');
    for (const file of alike.filter(([, side]) => side === 'source')) {
      // On a disk where `a` and `A` are equal, the target's `A` is the source's `a`: neither new nor extra.
      const other = there.find(([, , path]) => path === file[2]) ?? there.find(([, , path]) => isSame(file[2], path));
      judge(file, other);
      if (other) there.splice(there.indexOf(other), 1);
    }
    for (const [, , path] of there) extra.add(path);
  }
  return { added, updated, unchanged, extra: PackedList.from(sortPacked(extra, byUnits)) };
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
function findTargetFiles(
  folder: CopyTarget['folder'],
  { include, exclude }: CompareOptions,
  context: CompareContext,
): AsyncGenerator<WalkedFile> {
  const filter = createPathFilter(include, exclude);
  return folder.kind === 'remote' ? remoteFiles(folder.at, filter, context) : localFiles(folder.path, filter, context);
}

async function* remoteFiles(at: VolumePath, filter: PathFilter, context: CompareContext): AsyncGenerator<WalkedFile> {
  for await (const file of walkVolume(context, at, { missingIsEmpty: true }))
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
