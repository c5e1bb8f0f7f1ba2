import { hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { copyFile, link, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { namesIn, writeFileAtomicSync } from '../../../kernel/disk/index.ts';
import { readSmall } from '../../http/read-request.ts';
import { saveStream } from '../../http/receive.ts';
import { type ByteStream, maxAtOnceBytes, type ReadableBody } from '../../http/reply.ts';
import { fileNameOf } from '../../model/state/data-folder.ts';
import {
  type FileRecord,
  readJournal,
  type StoredPart,
  type UploadSession,
  type VolumeChange,
  type VolumeLocation,
} from './changes.ts';
import { type MountedFile, MountedFolder } from './mounted-folder.ts';
import { ensureFolder, type Folder, findInTree, pruneTree, walkTree } from './tree.ts';
import { Volume, type VolumeFile } from './volume.ts';

/** In the data folder. */
export const journalFile = 'volumes.jsonl';

/** In the storage: uploaded parts, and the volumes that apps use. */
export const partsFolder = 'volumes';
export const mountedFolder = 'mounted';

/**
 * Volumes and uploads in progress. Trees are in memory, contents on disk. With a data folder each change is appended to a
 * journal, because rewriting the state for each of thousands of files would be slow.
 */
export class VolumeStore {
  readonly parts: PartStore;
  readonly uploads = new Map<string, UploadSession>();
  readonly #volumes = new Map<string, Volume>();
  readonly #mounting = new Map<Volume, Promise<string>>();
  readonly #file: string | undefined;
  #journal: number | undefined;

  constructor(
    private readonly storage: string,
    /** The journal. Without it, volumes are in memory only. */
    file: string | undefined,
    from = file,
  ) {
    this.parts = new PartStore(join(storage, partsFolder));
    this.#file = file;
    if (from !== undefined) this.replace(readJournal(from));
  }

  volume({ project, volume, region }: VolumeLocation): Volume {
    const key = `${project}/${volume}/${region}`;
    const existing = this.#volumes.get(key);
    if (existing) return existing;
    const created = new Volume({ project, volume, region });
    const path = this.#mountPath(created);
    if (existsSync(path)) created.folder = new MountedFolder(path);
    this.#volumes.set(key, created);
    return created;
  }

  /** Volumes of a project that were accessed. */
  volumesOf(project: string): Volume[] {
    return [...this.#volumes.values()].filter(({ location }) => location.project === project);
  }

  /** The bytes from `start` up to but not including `end`. */
  content(file: VolumeFile, start = 0, end = file.size): ReadableBody {
    if (!('path' in file)) return this.parts.content(file.parts, start, end);
    async function* read({ path }: MountedFile) {
      if (end > start) yield* createReadStream(path, { start, end: end - 1 });
    }
    return { size: end - start, read: () => read(file) };
  }

  /** Moves a volume's files to a folder that apps can use, and returns its path. Resolves when all of them are there. */
  mount(location: VolumeLocation): Promise<string> {
    const volume = this.volume(location);
    const mounting = this.#mounting.get(volume) ?? this.#mount(volume);
    this.#mounting.set(volume, mounting);
    mounting.catch(() => this.#mounting.delete(volume));
    return mounting;
  }

  /** Applies a change, appends it to the journal, and deletes parts that are no longer used. */
  async change(change: VolumeChange): Promise<void> {
    const folder = 'names' in change && change.is !== 'begun' ? this.volume(change).folderFor(change.names) : undefined;
    if (folder && change.is === 'file') return this.#moveToFolder(change, folder);
    if (folder && change.is === 'folder') return folder.makeFolder(change.names);
    if (folder && change.is === 'removed') folder.remove(change.names);
    const unused = this.#apply(change);
    if (this.#file) {
      this.#journal ??= openSync(this.#file, 'a', 0o600);
      writeSync(this.#journal, `${JSON.stringify(change)}\n`);
    }
    await this.parts.remove(unused);
  }

  async #mount(volume: Volume): Promise<string> {
    const folder = new MountedFolder(this.#mountPath(volume));
    volume.folder = folder;
    for (const { names, file } of [...walkTree(volume.root)]) {
      if (names.length === 0 || !MountedFolder.canHold(names)) continue;
      // What is in the folder is newer: an earlier emulator was stopped while it moved the files.
      if (!file) folder.makeFolder(names);
      else if (!folder.find(names)) await this.#moveToFolder({ names, file, ...volume.location }, folder, file);
      else await this.parts.remove(applyToTree(volume.root, { is: 'removed', names, ...volume.location }));
    }
    pruneTree(volume.root, (name) => MountedFolder.canHold([name]));
    this.#compact();
    return folder.path;
  }

  /** With `expected`, only if the tree still has that file when its content is there. */
  async #moveToFolder(
    { names, file, ...location }: VolumeLocation & { names: readonly string[]; file: FileRecord },
    folder: MountedFolder,
    expected?: FileRecord,
  ): Promise<void> {
    const { root } = this.volume(location);
    const assembled = await this.parts.assemble(file.parts);
    const inTree = findInTree(root, names);
    if (expected && inTree !== expected) await rm(assembled, { force: true });
    else folder.put(assembled, names, file);
    const unused = inTree ? applyToTree(root, { is: 'removed', names, ...location }) : [];
    await this.parts.remove([...file.parts, ...unused]);
  }

  #mountPath({ location: { project, volume, region } }: Volume): string {
    return join(this.storage, mountedFolder, ...[project, volume, region].map(fileNameOf));
  }

  /** Forgets everything, then applies the changes of a journal. The files of their parts are in the storage. */
  replace(changes: readonly VolumeChange[]): void {
    this.#volumes.clear();
    this.#mounting.clear();
    this.uploads.clear();
    for (const change of changes) this.#apply(change);
    this.#compact();
    this.parts.removeAllExcept(new Set(this.partIds()));
  }

  /** The shortest journal that restores the volumes and uploads. */
  serialize(): string {
    return [...this.#changes()].map((change) => `${JSON.stringify(change)}\n`).join('');
  }

  /** The parts that files and uploads consist of. */
  partIds(): string[] {
    const files = [...this.#volumes.values()].flatMap(({ root }) => partsBelow(root));
    const parts = [...this.uploads.values()].flatMap((upload) => [...upload.parts.values()]);
    return [...files, ...parts].map(({ id }) => id);
  }

  close(): void {
    if (this.#journal !== undefined) closeSync(this.#journal);
    this.#journal = undefined;
  }

  /** Returns the parts that are no longer used. */
  #apply(change: VolumeChange): StoredPart[] {
    if (change.is === 'begun') {
      const { is, ...upload } = change;
      this.uploads.set(upload.id, { ...upload, parts: new Map() });
    } else if (change.is === 'part') {
      const parts = this.uploads.get(change.upload)?.parts;
      const before = parts?.get(change.number);
      parts?.set(change.number, change.part);
      return before ? [before] : [];
    } else if (change.is === 'ended') {
      this.uploads.delete(change.upload);
    } else if (change.is === 'resized') {
      this.volume(change).size = change.size;
    } else {
      return applyToTree(this.volume(change).root, change);
    }
    return [];
  }

  /** Rewrites the journal as the shortest that has the same result. */
  #compact(): void {
    if (!this.#file) return;
    this.close();
    writeFileAtomicSync(this.#file, this.serialize(), { mode: 0o600 });
  }

  *#changes(): Generator<VolumeChange> {
    for (const { root, size, location } of this.#volumes.values()) {
      yield { is: 'resized', size, ...location };
      for (const { names, file } of walkTree(root)) {
        yield file ? { is: 'file', names, file, ...location } : { is: 'folder', names, ...location };
      }
    }
    for (const { parts, ...upload } of this.uploads.values()) {
      yield { is: 'begun', ...upload };
      for (const [number, part] of parts) yield { is: 'part', upload: upload.id, number, part };
    }
  }
}

function applyToTree(root: Folder, change: Extract<VolumeChange, { is: 'file' | 'folder' | 'removed' }>): StoredPart[] {
  const { names } = change;
  if (change.is === 'folder') {
    ensureFolder(root, names);
    return [];
  }
  const before = partsBelow(findInTree(root, names));
  const name = names.at(-1);
  if (name === undefined) root.clear();
  else if (change.is === 'file') ensureFolder(root, names.slice(0, -1)).set(name, change.file);
  else ensureFolder(root, names.slice(0, -1)).delete(name);
  return before;
}

function partsBelow(entry: FileRecord | Folder | undefined): StoredPart[] {
  return [...walkTree(entry)].flatMap(({ file }) => file?.parts ?? []);
}

/** Uploaded parts on disk, named by id: names of a volume's files never reach the disk. */
class PartStore {
  /** Number of readers by id. */
  readonly #readers = new Map<string, number>();
  /** Deleted when their last reader has finished. */
  readonly #pendingDeletes = new Set<string>();

  constructor(private readonly folder: string) {}

  async save(body: ByteStream): Promise<StoredPart & { md5: string }> {
    const content = await readSmall(body, maxAtOnceBytes);
    if (Buffer.isBuffer(content)) return { ...this.write(content), md5: hash('md5', content) };
    const id = randomUUID();
    return { id, ...(await saveStream(content, this.#path(id))) };
  }

  /** Writes synchronously: small parts, and for tests and demos. Nobody knows the name before it is complete. */
  write(bytes: Buffer): StoredPart {
    const id = randomUUID();
    try {
      // A reset of the emulator takes the folder away.
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#path(id), bytes, { mode: 0o600 });
    } catch (error) {
      rmSync(this.#path(id), { force: true });
      throw error;
    }
    return { id, size: bytes.length };
  }

  readAll(parts: readonly StoredPart[]): Buffer {
    return Buffer.concat(parts.map(({ id }) => readFileSync(this.#path(id))));
  }

  /** Of the concatenated parts. A reader gets all of it, even if they are removed meanwhile. */
  content(parts: readonly StoredPart[], start: number, end: number): ReadableBody {
    const content = { size: end - start, read: () => this.#read(parts, start, end) };
    const isSmall = parts.reduce((sum, part) => sum + part.size, 0) <= maxAtOnceBytes;
    return isSmall ? { ...content, readAtOnce: () => this.readAll(parts).subarray(start, end) } : content;
  }

  /** Puts the parts together in a new file, and returns its path. The caller moves it. */
  async assemble(parts: readonly StoredPart[]): Promise<string> {
    const target = this.#path(randomUUID());
    const [first, ...others] = parts;
    if (first && others.length === 0) {
      await linkUnlessShared(this.#path(first.id), target);
      return target;
    }
    await pipeline(this.#read(parts, 0, Number.POSITIVE_INFINITY), createWriteStream(target, { mode: 0o600 }));
    return target;
  }

  /** Keeps the files of parts, also if they are removed meanwhile, until the returned function is called. */
  hold(ids: readonly string[]): () => Promise<void> {
    for (const id of ids) this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
    return async () => {
      for (const id of ids) await this.#release(id);
    };
  }

  async remove(parts: readonly StoredPart[]): Promise<void> {
    const free = parts.filter(({ id }) => !this.#readers.has(id));
    for (const { id } of parts) if (this.#readers.has(id)) this.#pendingDeletes.add(id);
    await Promise.all(free.map(({ id }) => rm(this.#path(id), { force: true })));
  }

  /** Deletes parts that belong to no file or upload, such as those of an interrupted request. */
  removeAllExcept(usedIds: ReadonlySet<string>): void {
    for (const id of namesIn(this.folder)) if (!usedIds.has(id)) rmSync(this.#path(id), { force: true });
  }

  async *#read(parts: readonly StoredPart[], start: number, end: number): AsyncGenerator<Buffer> {
    const release = this.hold(parts.map(({ id }) => id));
    try {
      let at = 0;
      for (const { id, size } of parts) {
        const [from, to] = [Math.max(start - at, 0), Math.min(end - at, size)];
        if (from < to) yield* createReadStream(this.#path(id), { start: from, end: to - 1 });
        at += size;
      }
    } finally {
      await release();
    }
  }

  async #release(id: string): Promise<void> {
    const readers = (this.#readers.get(id) ?? 1) - 1;
    if (readers > 0) {
      this.#readers.set(id, readers);
      return;
    }
    this.#readers.delete(id);
    if (this.#pendingDeletes.delete(id)) await rm(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.folder, id);
  }
}

/** A link costs nothing, but apps may change the file in place: a part that a snapshot has, too, is copied. */
async function linkUnlessShared(part: string, target: string): Promise<void> {
  const copy = () => copyFile(part, target, constants.COPYFILE_FICLONE);
  if ((await stat(part)).nlink > 1) await copy();
  else await link(part, target).catch(copy);
}
