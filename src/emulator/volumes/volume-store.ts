import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeSync } from '../../disk/index.ts';
import { DamagedDataError } from '../state/damaged.ts';
import { PartStore } from '../storage/part-store.ts';
import type { UploadSession, VolumeLocation } from './changes.ts';
import { parseVolumeChange, type VolumeChange } from './changes.ts';
import {
  ensureFolder,
  type FileRecord,
  type Folder,
  findEntry,
  isFolder,
  type StoredPart,
  splitPath,
  walkTree,
} from './tree.ts';

export interface Volume extends VolumeLocation {
  root: Folder;
  /** GB, as it was asked for. */
  size: number;
}

/** GB a volume has to begin with. */
const initialSizeGb = 50;

/**
 * The volumes and what is on its way to them. The tree is in memory, contents are on disk. With a folder for its data
 * each change is one more line of a file: ten thousand files cost ten thousand lines, not as many rewrites.
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
    const known = this.#volumes.get(key) ?? { project, volume, region, root: new Map(), size: initialSizeGb };
    this.#volumes.set(key, known);
    return known;
  }

  /** Those of a project that were ever looked at. */
  volumesOf(project: string): Volume[] {
    return [...this.#volumes.values()].filter((volume) => volume.project === project);
  }

  /** Makes a change, remembers it, and frees what nothing refers to any more. */
  async change(change: VolumeChange): Promise<void> {
    const freed = this.#apply(change);
    if (this.#file) {
      this.#journal ??= openSync(this.#file, 'a', 0o600);
      writeSync(this.#journal, `${JSON.stringify(change)}\n`);
    }
    await this.parts.remove(freed);
  }

  clear(): void {
    this.#volumes.clear();
    this.uploads.clear();
    this.close();
    if (this.#file) writeWholeSync(this.#file, '', { mode: 0o600 });
  }

  close(): void {
    if (this.#journal !== undefined) closeSync(this.#journal);
    this.#journal = undefined;
  }

  /** Gives the pieces that are of no more use. */
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
   * Repeats every change, then keeps only what came of them. A last line that a crash cut off is dropped; any other
   * line that cannot be read is a `DamagedDataError`, as the content of files would be removed with it.
   */
  #load(file: string): void {
    const lines = linesOf(file);
    for (const [index, line] of lines.entries()) {
      if (line === '') continue;
      const change = parseVolumeChange(line);
      if (change) this.#apply(change);
      else if (index < lines.length - 1)
        throw new DamagedDataError(file, `line ${index + 1} is not a change of a volume`);
    }
    const changes = [...this.#changes()].map((change) => `${JSON.stringify(change)}\n`).join('');
    writeWholeSync(file, changes, { mode: 0o600 });
    this.parts.removeAllBut(this.#known());
  }

  *#changes(): Generator<VolumeChange> {
    for (const { root, size, ...place } of this.#volumes.values()) {
      yield { is: 'resized', size, ...place };
      for (const { names, file } of walkTree(root)) {
        yield file ? { is: 'file', names, file, ...place } : { is: 'folder', names, ...place };
      }
    }
    for (const { parts, ...upload } of this.uploads.values()) {
      yield { is: 'begun', ...upload };
      for (const [number, part] of parts) yield { is: 'part', upload: upload.id, number, part };
    }
  }

  #known(): Set<string> {
    const files = [...this.#volumes.values()].flatMap(({ root }) => piecesBelow(root));
    const parts = [...this.uploads.values()].flatMap((upload) => [...upload.parts.values()]);
    return new Set([...files, ...parts].map(({ id }) => id));
  }
}

/** What tests and demos arrange in a volume, and look at, without any call. Paths may lack their first slash. */
export class VolumeFiles {
  constructor(
    private readonly volumes: VolumeStore,
    private readonly place: VolumeLocation,
    private readonly now: () => number,
  ) {}

  /** Puts a file there. A list of names instead of a path may hold names that no path can. */
  write(path: string | readonly string[], content: string | Uint8Array, modified = this.now()): void {
    const piece = this.volumes.parts.write(Buffer.from(content));
    const md5 = createHash('md5').update(content).digest('hex');
    const file = { size: piece.size, modified, etag: multipartEtag([md5]), pieces: [piece] };
    void this.volumes.change({ is: 'file', names: namesOf(path), file, ...this.place });
  }

  makeFolder(path: string | readonly string[]): void {
    void this.volumes.change({ is: 'folder', names: namesOf(path), ...this.place });
  }

  /** The content of a file; undefined when there is none. */
  read(path: string | readonly string[]): Buffer | undefined {
    const found = findEntry(this.volumes.volume(this.place).root, namesOf(path));
    return found && !isFolder(found) ? this.volumes.parts.readAll(found.pieces) : undefined;
  }

  text(path: string | readonly string[]): string | undefined {
    return this.read(path)?.toString();
  }

  /** The paths of all files, and of folders that hold nothing with a slash at their end, in order. */
  paths(): string[] {
    const found = [...walkTree(this.volumes.volume(this.place).root)].filter(({ names }) => names.length > 0);
    return found.map(({ names, file }) => `/${names.join('/')}${file ? '' : '/'}`).sort();
  }
}

/** As object storage makes it of the MD5s of a file's parts (hex), without quotes. */
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
  const before = piecesBelow(findEntry(root, names));
  const name = names.at(-1);
  if (name === undefined) root.clear();
  else if (change.is === 'file') ensureFolder(root, names.slice(0, -1)).set(name, change.file);
  else ensureFolder(root, names.slice(0, -1)).delete(name);
  return before;
}

function piecesBelow(entry: FileRecord | Folder | undefined): StoredPart[] {
  return [...walkTree(entry)].flatMap(({ file }) => file?.pieces ?? []);
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
