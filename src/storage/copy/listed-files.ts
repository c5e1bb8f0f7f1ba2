import { onceFor } from '../../kernel/once.ts';
import { unlessMissing } from '../../platform/waiting/index.ts';
import { joinRemotePath, remoteName, remoteParent } from '../transfer/remote-path.ts';
import { type ListedEntry, listEntries, type VolumeContext, type VolumePath } from '../volumes/index.ts';

/** Files come folder by folder, so few listings need to be cached. */
const maxCachedFolders = 64;

/** The files below a folder of a volume, as they are listed. */
export class ListedFiles {
  readonly #folders = new Map<string, Promise<Map<string, ListedEntry>>>();

  constructor(
    private readonly context: VolumeContext,
    readonly root: VolumePath,
  ) {}

  at(path: string): VolumePath {
    return { ...this.root, path: joinRemotePath(this.root.path, path) };
  }

  /** The file at a path below the root, by the first list of its folder; undefined if there is none. */
  async find(path: string): Promise<ListedEntry | undefined> {
    const at = this.at(path);
    const folder = remoteParent(at.path);
    const [oldest] = this.#folders.keys();
    if (this.#folders.size > maxCachedFolders && oldest !== undefined) this.#folders.delete(oldest);
    const entries = await onceFor(this.#folders, folder, () => this.listNow({ ...at, path: folder }));
    return fileIn(entries, at);
  }

  async findNow(path: string): Promise<ListedEntry | undefined> {
    const at = this.at(path);
    return fileIn(await this.listNow({ ...at, path: remoteParent(at.path) }), at);
  }

  /** The current entries of a folder by name. A file wins over a folder of the same name. */
  async listNow(folder: VolumePath): Promise<Map<string, ListedEntry>> {
    const entries = (await unlessMissing(listEntries(this.context, folder))) ?? [];
    entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder));
    return new Map(entries.map((entry) => [entry.name, entry]));
  }
}

function fileIn(entries: ReadonlyMap<string, ListedEntry>, { path }: VolumePath): ListedEntry | undefined {
  const entry = entries.get(remoteName(path));
  return entry?.isFolder ? undefined : entry;
}
