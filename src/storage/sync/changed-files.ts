import { PackedList } from '../../kernel/packed-list.ts';
import { type CopyEndSource, type FoundFile, sourceOf } from '../copy/index.ts';

/** Files to copy, packed. Their source follows from their path. */
export class ChangedFiles implements Iterable<FoundFile> {
  readonly #files = new PackedList<[path: string, bytes: number | null, modified: number | null]>();

  constructor(private readonly source: CopyEndSource) {}

  get length(): number {
    return this.#files.length;
  }

  add({ path, bytes, modified }: FoundFile): void {
    this.#files.add([path, bytes ?? null, modified ?? null]);
  }

  *[Symbol.iterator](): Generator<FoundFile> {
    for (const [path, bytes, modified] of this.#files) {
      yield {
        path,
        bytes: bytes ?? undefined,
        modified: modified ?? undefined,
        from: sourceOf(this.source.location, path),
      };
    }
  }

  *paths(): Generator<string> {
    for (const [path] of this.#files) yield path;
  }
}
