import { unlessMissing } from '../../platform/waiting/index.ts';
import { remoteName, remoteParent } from '../transfer/remote-path.ts';
import { type ListedEntry, listEntries, type VolumeContext, type VolumePath } from '../volumes/index.ts';

/** Files come folder by folder, so few listings need to be cached. */
const maxCachedFolders = 64;

export class RemoteFolders {
  readonly #folders = new Map<string, Promise<Map<string, ListedEntry>>>();

  constructor(private readonly context: VolumeContext) {}

  async find(at: VolumePath): Promise<ListedEntry | undefined> {
    const folder = remoteParent(at.path);
    const key = `${at.region} ${at.volume}:${folder}`;
    let entries = this.#folders.get(key);
    if (!entries) {
      const [oldest] = this.#folders.keys();
      if (this.#folders.size === maxCachedFolders && oldest !== undefined) this.#folders.delete(oldest);
      entries = this.listNow({ ...at, path: folder });
      this.#folders.set(key, entries);
    }
    return (await entries).get(remoteName(at.path));
  }

  async findNow(at: VolumePath): Promise<ListedEntry | undefined> {
    return (await this.listNow({ ...at, path: remoteParent(at.path) })).get(remoteName(at.path));
  }

  /** The current entries of a folder by name. A file wins over a folder of the same name. */
  async listNow(folder: VolumePath): Promise<Map<string, ListedEntry>> {
    const entries = (await unlessMissing(listEntries(this.context, folder))) ?? [];
    entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder));
    return new Map(entries.map((entry) => [entry.name, entry]));
  }
}
