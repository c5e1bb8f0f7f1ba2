import { hash } from 'node:crypto';
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
  withKeptName,
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

/**
 * Compares a source with a target. Both are walked in the same order at the same time, so that one folder of each is in
 * memory. Where that cannot give the same answer as a look at everything, everything is looked at again: names that are not
 * valid UTF-8, and names that the disk of a local target may take for the same.
 */
export async function compare(
  source: CopyEndSource,
  target: CopyTarget,
  options: CompareOptions,
  context: CompareContext,
): Promise<Difference> {
  try {
    return await compareInOrder(source, target, options, context);
  } catch (error) {
    if (!(error instanceof OrderError)) throw error;
    return compareInMemory(source, target, options, context);
  }
}

async function compareInOrder(
  source: CopyEndSource,
  { folder }: CopyTarget,
  options: CompareOptions,
  context: CompareContext,
): Promise<Difference> {
  const names = new AlikeNames();
  const found = assertAscending(findSourceFiles([source], undefined, options, context));
  const sourceFiles = folder.kind === 'local' ? withKeptNames(found, folder.path, names) : found;
  const targetFiles = assertAscending(findTargetFiles(folder, options, context));
  const difference = await compareAscending(source, folder, sourceFiles, targetFiles);
  if (folder.kind === 'local' && names.mayMeet(difference.extra)) throw new OrderError();
  return difference;
}

async function compareAscending(
  source: CopyEndSource,
  folder: CopyTarget['folder'],
  sourceFiles: AsyncGenerator<FoundEntry>,
  targetFiles: AsyncGenerator<WalkedFile>,
): Promise<Difference> {
  const added = new ChangedFiles(source);
  const updated = new ChangedFiles(source);
  const extra = new PackedList<string>();
  const uncopied: UncopiedEntry[] = [];
  let unchanged = 0;
  const tolerance = folder.kind === 'local' ? diskToleranceMs : 0;
  for await (const { file, there } of inPairs(sourceFiles, targetFiles)) {
    if (!file) extra.add(there.path);
    else if (!('bytes' in file)) uncopied.push(file);
    else if (!there) added.add(file);
    else if (isUnchanged(file, there, tolerance)) unchanged++;
    else updated.add(file);
  }
  return { added, updated, unchanged, uncopied, extra: PackedList.from(sortPacked(extra, byUnits)) };
}

async function* withKeptNames(
  files: AsyncGenerator<FoundEntry>,
  folder: string,
  names: AlikeNames,
): AsyncGenerator<FoundEntry> {
  for await (const file of files) {
    if ('bytes' in file) names.add(file.path);
    yield withKeptName(file, folder);
  }
}

type PathPair = { file: FoundEntry; there: WalkedFile | undefined } | { file: undefined; there: WalkedFile };

async function* inPairs(
  sources: AsyncGenerator<FoundEntry>,
  targets: AsyncGenerator<WalkedFile>,
): AsyncGenerator<PathPair> {
  let next = await targets.next();
  for await (const file of sources) {
    for (; !next.done && comparePaths(next.value.path, file.path) < 0; next = await targets.next()) {
      yield { file: undefined, there: next.value };
    }
    const there = next.done || next.value.path !== file.path ? undefined : next.value;
    if (there) next = await targets.next();
    yield { file, there };
  }
  for (; !next.done; next = await targets.next()) yield { file: undefined, there: next.value };
}

/** Files to copy, packed. Their source follows from their path. */
class ChangedFiles implements Iterable<FoundFile> {
  readonly #files = new PackedList<[path: string, bytes: number, modified: number | null]>();

  constructor(private readonly source: CopyEndSource) {}

  get length(): number {
    return this.#files.length;
  }

  add({ path, bytes, modified }: FoundFile): void {
    this.#files.add([path, bytes, modified ?? null]);
  }

  *[Symbol.iterator](): Generator<FoundFile> {
    for (const [path, bytes, modified] of this.#files) {
      yield { path, bytes, modified: modified ?? undefined, from: sourceOf(this.source.location, path) };
    }
  }
}

/** Tells whether some disk may have one entry for two names, such as `a` and `A`. Keeps a number for each. */
class AlikeNames {
  readonly #hashes: number[] = [];
  #folder = '';

  /** A file of the source, with the folders around it. A walk comes to each folder once. */
  add(path: string): void {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    for (const { index } of folder.matchAll(/\//g))
      if (!this.#folder.startsWith(folder.slice(0, index + 1))) this.#hashes.push(hashOf(folder.slice(0, index)));
    this.#folder = folder;
    this.#hashes.push(hashOf(path));
  }

  /** Whether two of the source do, or one of it and one of those that are only in the target. */
  mayMeet(extra: Iterable<string>): boolean {
    for (const path of extra) this.#hashes.push(hashOf(path));
    const sorted = Float64Array.from(this.#hashes).sort();
    return sorted.some((each, index) => index > 0 && each === sorted[index - 1]);
  }
}

/** 48 bits: different names hardly ever share a hash among millions. */
const hashOf = (path: string) => hash('md5', nameKey(path), 'buffer').readUIntBE(0, 6);

/** Compares both in any order. Keeps several hundred bytes for each file in memory: see {@link compare}. */
export async function compareInMemory(
  source: CopyEndSource,
  { folder }: CopyTarget,
  options: CompareOptions,
  context: CompareContext,
): Promise<Difference> {
  const there = new Map<string, WalkedFile>();
  for await (const file of findTargetFiles(folder, options, context)) there.set(file.path, file);
  const found = findSourceFiles([source], undefined, options, context);
  const files: FoundEntry[] = [];
  const distinct = folder.kind === 'local' ? distinctNames(found, folder.path, nameProbe, true) : found;
  for await (const file of distinct) files.push(file);
  if (folder.kind === 'local') takeSpellings(files, there, folder.path);
  return compareAscending(source, folder, ascending(files), ascending([...there.values()]));
}

/** On a disk where `a` and `A` are equal, the target's `A` is the source's `a`: neither new nor extra. */
function takeSpellings(files: readonly FoundEntry[], there: Map<string, WalkedFile>, folder: string): void {
  const spellings = new Map([...there.keys()].map((path) => [nameKey(path), path]));
  for (const { path } of files) {
    const spelling = there.has(path) ? undefined : spellings.get(nameKey(path));
    const file = spelling === undefined ? undefined : there.get(spelling);
    if (!file || !nameProbe.isSameEntry(folder, path, file.path)) continue;
    there.delete(file.path);
    there.set(path, { ...file, path });
  }
}

/** A name that is not text may be shown as that of a file, which comes first. */
async function* ascending<Entry extends { path: string }>(entries: Entry[]): AsyncGenerator<Entry> {
  const isFile = (entry: Entry) => Number('bytes' in entry);
  yield* entries.sort((one, other) => comparePaths(one.path, other.path) || isFile(other) - isFile(one));
}

/**
 * The order in which sorted folders are walked: the files of a folder before its subfolders, each by name. Names are
 * compared in UTF-16 code units, and never across a slash: `a/b` comes before `a-b/c`, although `-` comes before `/`.
 */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  const isFolder = one.includes('/', at);
  if (isFolder !== other.includes('/', at)) return isFolder ? 1 : -1;
  return unitAt(one, at) - unitAt(other, at);
}

/** The end of a name comes before any character. */
function unitAt(path: string, at: number): number {
  return at === path.length || path[at] === '/' ? -1 : path.charCodeAt(at);
}

class OrderError extends Error {}

/** Throws an OrderError for a name that is not valid UTF-8, or an entry that changed during the walk. */
async function* assertAscending<Entry extends { path: string }>(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  let last: string | undefined;
  for await (const entry of entries) {
    if (last !== undefined && comparePaths(last, entry.path) >= 0) throw new OrderError();
    last = entry.path;
    yield entry;
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
