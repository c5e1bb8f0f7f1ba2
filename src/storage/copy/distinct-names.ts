import { type NameProbe, nameProbe } from '../../kernel/disk/index.ts';
import type { RenamedEntry } from './copy-progress.ts';
import type { FoundEntry, FoundFile } from './found-entry.ts';
import { type Clash, checkKeptName, clashError, Names } from './name-clashes.ts';

export interface NamingOptions {
  /** Renames files instead of refusing to copy. */
  renames: boolean;
  /** Finds all files before yielding the first, even if the disk does not require it. */
  allFirst: boolean;
  onRenamed: (renamed: RenamedEntry) => void;
}

/**
 * Yields the files with names that are distinct on the target disk. If that disk treats different names as equal, all
 * files are found first, and a ConflictError lists equal names before anything is written. On other disks files are
 * yielded as they are found; a folder in the target may be on a disk of its own, where the second of two equal names
 * fails.
 */
export async function* distinctNames(
  files: AsyncIterable<FoundEntry>,
  folder: string,
  options: NamingOptions,
  disk: NameProbe = nameProbe,
): AsyncGenerator<FoundEntry> {
  const names = new Names(folder, disk);
  if (options.renames || options.allFirst || disk.mergesNames(folder)) {
    yield* namedAfterAll(files, folder, options, names, disk);
    return;
  }
  for await (const found of files) yield 'bytes' in found ? names.check(found) : found;
}

async function* namedAfterAll(
  files: AsyncIterable<FoundEntry>,
  folder: string,
  options: NamingOptions,
  names: Names,
  disk: NameProbe,
): AsyncGenerator<FoundEntry> {
  const all: FoundEntry[] = [];
  for await (const found of files) {
    all.push(found);
    if ('bytes' in found) names.add(found);
  }
  const clashes = names.clashes();
  if (clashes.length > 0 && !options.renames) throw clashError(clashes, folder);
  const renaming = new Renaming(names, clashes, options.onRenamed);
  for (const found of all) yield 'bytes' in found ? checkKeptName(renaming.renamed(found), folder, disk) : found;
}

/** Renames all but the first of the entries that clash. */
class Renaming {
  readonly #files = new Map<FoundFile, string>();
  readonly #folders = new Map<string, string>();

  constructor(names: Names, clashes: readonly Clash[], onRenamed: (renamed: RenamedEntry) => void) {
    for (const { parent, entries } of clashes) {
      for (const { name, isFolder, file } of entries.slice(1)) {
        const as = unusedName(name, (candidate) => names.isTaken(parent, candidate));
        names.take(parent, as);
        if (file) this.#files.set(file, as);
        else this.#folders.set(parent + name, as);
        const end = isFolder ? '/' : '';
        onRenamed({ path: parent + name + end, as: this.#renamedFolder(parent) + as + end });
      }
    }
  }

  renamed(file: FoundFile): FoundFile {
    const start = file.path.lastIndexOf('/') + 1;
    const name = this.#files.get(file) ?? file.path.slice(start);
    return { ...file, path: this.#renamedFolder(file.path.slice(0, start)) + name };
  }

  #renamedFolder(parent: string): string {
    let path = '';
    return parent.replaceAll(/([^/]*)\//g, (_, name: string) => {
      path += name;
      const as = this.#folders.get(path) ?? name;
      path += '/';
      return `${as}/`;
    });
  }
}

/** `a-2.txt`, not `a~2.txt`: Windows uses such names as aliases of other files. */
function unusedName(name: string, isTaken: (name: string) => boolean): string {
  const [, stem = name, ending = ''] = /^(.+?)((?:\.[^. ]+)*)[. ]*$/.exec(name) ?? [];
  for (let number = 2; ; number++) {
    const candidate = `${stem}-${number}${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}
