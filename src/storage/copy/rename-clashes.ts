import type { RenamedEntry } from './copy-progress.ts';
import type { FoundFile } from './found-entry.ts';
import type { Clash, Names } from './name-clashes.ts';

/** Renames all but the first of the entries that clash. */
export class Renaming {
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
