import { NotFoundError } from '../../errors.ts';
import { remoteName, remoteParent } from '../../transfer/remote-path.ts';
import { type ListedEntry, listEntries, type VolumeContext, type VolumePath } from '../volumes/index.ts';

/** Folders of the target that are remembered: files come folder by folder. */
const mostRemembered = 64;

/** What is in the folders of a volume, each asked for when the first file of it is looked for. */
export class RemoteFolders {
  readonly #folders = new Map<string, Promise<Map<string, ListedEntry>>>();

  constructor(private readonly calls: VolumeContext) {}

  /** The file or folder at a path as it was when its folder was first looked at; undefined when there is none. */
  async find(at: VolumePath): Promise<ListedEntry | undefined> {
    const folder = remoteParent(at.path);
    const key = `${at.region} ${at.volume}:${folder}`;
    let entries = this.#folders.get(key);
    if (!entries) {
      const [oldest] = this.#folders.keys();
      if (this.#folders.size === mostRemembered && oldest !== undefined) this.#folders.delete(oldest);
      entries = this.listNow({ ...at, path: folder });
      this.#folders.set(key, entries);
    }
    return (await entries).get(remoteName(at.path));
  }

  /** The same, as it is now. */
  async findNow(at: VolumePath): Promise<ListedEntry | undefined> {
    return (await this.listNow({ ...at, path: remoteParent(at.path) })).get(remoteName(at.path));
  }

  /** The entries of a folder by name, as they are now. Of a file and a folder of one name, the file. */
  async listNow(folder: VolumePath): Promise<Map<string, ListedEntry>> {
    const entries = await listEntries(this.calls, folder).catch((error: unknown) => {
      if (error instanceof NotFoundError) return [];
      throw error;
    });
    entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder));
    return new Map(entries.map((entry) => [entry.name, entry]));
  }
}
