import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomicSync } from '../../disk/index.ts';
import { DamagedDataError } from '../state/damaged.ts';
import { PartStore } from '../storage/part-store.ts';
import type { UploadSession, VolumeLocation } from './changes.ts';
import { parseVolumeChange, type VolumeChange } from './changes.ts';
import {
  ensureFolder,
  type FileRecord,
  type Folder,
  findInTree,
  isFolder,
  type StoredPart,
  splitPath,
  walkTree,
} from './tree.ts';

export interface Volume extends VolumeLocation {
  root: Folder;
  /** In GB. */
  size: number;
}

const initialSizeGb = 50;

/**
 * Volumes and uploads in progress. Trees are in memory, contents on disk. With a data folder each change is appended to a
 * journal, because rewriting the state for each of thousands of files would be slow.
 */
export class VolumeStore {
  readonly parts: PartStore;
  readonly uploads = new Map<string, UploadSession>();
  readonly #volumes = new Map<string, Volume>();
  readonly #file: string | undefined;
  #journal: number | undefined;

  constructor(storage: string, data: string | undefined) {
    this.parts = new PartStore(join(storage, 'volumes'));
    this.#file = data && join(data, 'volumes.jsonl');
    if (this.#file) this.#load(this.#file);
  }

  volume({ project, volume, region }: VolumeLocation): Volume {
    const key = `${project}/${volume}/${region}`;
    const existing = this.#volumes.get(key) ?? { project, volume, region, root: new Map(), size: initialSizeGb };
    this.#volumes.set(key, existing);
    return existing;
  }

  /** Volumes of a project that were accessed. */
  volumesOf(project: string): Volume[] {
    return [...this.#volumes.values()].filter((volume) => volume.project === project);
  }

  /** Applies a change, appends it to the journal, and deletes parts that are no longer used. */
  async change(change: VolumeChange): Promise<void> {
    const unused = this.#apply(change);
    if (this.#file) {
      this.#journal ??= openSync(this.#file, 'a', 0o600);
      writeSync(this.#journal, `${JSON.stringify(change)}\n`);
    }
    await this.parts.remove(unused);
  }

  clear(): void {
    this.#volumes.clear();
    this.uploads.clear();
    this.close();
    if (this.#file) writeFileAtomicSync(this.#file, '', { mode: 0o600 });
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

  /**
   * Replays the journal and compacts it. A last line that a crash truncated is dropped. Any other invalid line is a
   * `DamagedDataError`, because the content that it refers to would be deleted.
   */
  #load(file: string): void {
    const lines = linesOf(file);
    for (const [index, line] of lines.entries()) {
      if (line === '') continue;
      const change = parseVolumeChange(line);
      if (change) this.#apply(change);
      else if (index < lines.length - 1)
        throw new DamagedDataError(file, `line ${index + 1} is not a valid volume change`);
    }
    const changes = [...this.#changes()].map((change) => `${JSON.stringify(change)}\n`).join('');
    writeFileAtomicSync(file, changes, { mode: 0o600 });
    this.parts.removeAllExcept(this.#usedIds());
  }

  *#changes(): Generator<VolumeChange> {
    for (const { root, size, ...location } of this.#volumes.values()) {
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

  #usedIds(): Set<string> {
    const files = [...this.#volumes.values()].flatMap(({ root }) => partsBelow(root));
    const parts = [...this.uploads.values()].flatMap((upload) => [...upload.parts.values()]);
    return new Set([...files, ...parts].map(({ id }) => id));
  }
}

/** Reads and writes a volume without requests, for tests and demos. The leading slash of paths is optional. */
export class VolumeFiles {
  constructor(
    private readonly volumes: VolumeStore,
    private readonly location: VolumeLocation,
    private readonly now: () => number,
  ) {}

  /** A list of names instead of a path allows names with slashes. */
  write(path: string | readonly string[], content: string | Uint8Array, modified = this.now()): void {
    const part = this.volumes.parts.write(Buffer.from(content));
    const md5 = createHash('md5').update(content).digest('hex');
    const file = { size: part.size, modified, etag: multipartEtag([md5]), parts: [part] };
    void this.volumes.change({ is: 'file', names: namesOf(path), file, ...this.location });
  }

  makeFolder(path: string | readonly string[]): void {
    void this.volumes.change({ is: 'folder', names: namesOf(path), ...this.location });
  }

  /** Undefined if the file does not exist. */
  read(path: string | readonly string[]): Buffer | undefined {
    const entry = findInTree(this.volumes.volume(this.location).root, namesOf(path));
    return entry && !isFolder(entry) ? this.volumes.parts.readAll(entry.parts) : undefined;
  }

  text(path: string | readonly string[]): string | undefined {
    return this.read(path)?.toString();
  }

  /** The sorted paths of all files, and of empty folders with a trailing slash. */
  paths(): string[] {
    const entries = [...walkTree(this.volumes.volume(this.location).root)].filter(({ names }) => names.length > 0);
    return entries.map(({ names, file }) => `/${names.join('/')}${file ? '' : '/'}`).sort();
  }
}

/** Takes the MD5s of a file's parts in hex. Returns the ETag without quotes. */
export function multipartEtag(md5s: readonly string[]): string {
  const all = Buffer.concat(md5s.map((md5) => Buffer.from(md5, 'hex')));
  return `${createHash('md5').update(all).digest('hex')}-${md5s.length}`;
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

function namesOf(path: string | readonly string[]): readonly string[] {
  return typeof path === 'string' ? splitPath(path).names : path;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new DamagedDataError(file, message, error);
  }
}
