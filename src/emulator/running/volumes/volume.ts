import { createHash, hash } from 'node:crypto';
import {
  chmodSync,
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { entriesIn } from '../../../kernel/disk/index.ts';
import { attempt } from '../../../kernel/errors.ts';
import { refuse } from '../../http/reply.ts';

/** A file of a volume. Apps can change it at any time. */
export interface VolumeFile {
  path: string;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  /** Without quotes. Changes when the file does. */
  etag: string;
}

/**
 * The files of a volume: a folder, which apps use as `/persistent-storage`. Any user of a container may use them, and on
 * this machine only who gets past the folder around it.
 */
export class Volume {
  readonly path: string;
  /** ETags of uploaded files, valid until an app changes the file. By path. */
  readonly #uploaded = new Map<string, { state: string; etag: string }>();

  constructor(
    path: string,
    private readonly now: () => number,
  ) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o777);
    this.path = realpathSync(path);
  }

  /** Undefined also for pipes, sockets, devices, and links that leave the volume. */
  find(names: readonly string[]): VolumeFile | 'folder' | undefined {
    return this.#read(join(this.path, ...names));
  }

  /** The entries of a folder with their names; undefined if it does not exist. */
  list(names: readonly string[]) {
    if (this.find(names) !== 'folder') return undefined;
    const folder = join(this.path, ...names);
    return entriesIn(folder).flatMap((entry) => {
      const kept = this.#readEntry(join(folder, entry.name), entry);
      return kept ? [[entry.name, kept] as const] : [];
    });
  }

  /** All files and empty folders. */
  *walk(names: readonly string[] = []): Generator<{ names: readonly string[]; file?: VolumeFile }> {
    const entries = this.list(names) ?? [];
    if (entries.length === 0 && names.length > 0) yield { names };
    for (const [name, file] of entries) {
      if (file === 'folder') yield* this.walk([...names, name]);
      else yield { names: [...names, name], file };
    }
  }

  /** Refuses a path that is a folder, or that is below a file or a link out of the volume, with 409. */
  checkWritable(names: readonly string[]): void {
    for (const depth of names.keys()) {
      const above = names.slice(0, depth + 1);
      const entry = this.find(above);
      const isLast = above.length === names.length;
      const path = `/${above.join('/')}`;
      if (isLast && entry === 'folder') refuse(409, `${path} is a folder, not a file`);
      if (isLast || entry === 'folder') continue;
      if (entry) refuse(409, `${path} is a file, not a folder`);
      if (lstatSync(join(this.path, ...above), { throwIfNoEntry: false })) refuse(409, `${path} leaves the volume`);
      return;
    }
  }

  /** Moves a complete file into the volume. */
  put(source: string, names: readonly string[], { modified, etag }: Pick<VolumeFile, 'modified' | 'etag'>): void {
    this.checkWritable(names);
    const path = join(this.path, ...names);
    makeOpenFolder(dirname(path));
    chmodSync(source, 0o666);
    utimesSync(source, modified / 1000, modified / 1000);
    renameSync(source, path);
    this.#uploaded.set(path, { state: stateOf(statSync(path)), etag });
  }

  /** Without names, deletes everything. */
  remove(names: readonly string[]): void {
    const removed = names.length > 0 ? [names] : entriesIn(this.path).map(({ name }) => [name]);
    for (const each of removed) rmSync(join(this.path, ...each), { recursive: true, force: true });
  }

  /** For tests and demos, like what follows. The leading slash of paths is optional. */
  write(path: string, content: string | Uint8Array, modified = this.now()): void {
    const temporary = `${this.path}.${process.pid}.part`;
    writeFileSync(temporary, content, { mode: 0o600 });
    this.put(temporary, splitPath(path).names, { modified, etag: multipartEtag([hash('md5', content)]) });
  }

  makeFolder(path: string): void {
    makeOpenFolder(join(this.path, ...splitPath(path).names));
  }

  read(path: string): Buffer | undefined {
    const entry = this.find(splitPath(path).names);
    return entry && entry !== 'folder' ? readFileSync(entry.path) : undefined;
  }

  text(path: string): string | undefined {
    return this.read(path)?.toString();
  }

  /** The sorted paths of all files, and of empty folders with a trailing slash. */
  paths(): string[] {
    return [...this.walk()].map(({ names, file }) => `/${names.join('/')}${file ? '' : '/'}`).sort();
  }

  #readEntry(path: string, entry: Dirent): VolumeFile | 'folder' | undefined {
    if (entry.isDirectory()) return 'folder';
    return entry.isFile() || entry.isSymbolicLink() ? this.#read(path) : undefined;
  }

  #read(path: string): VolumeFile | 'folder' | undefined {
    return attempt(() => {
      const real = realpathSync(path);
      if (real !== this.path && !real.startsWith(this.path + sep)) return undefined;
      const stats = statSync(real);
      if (stats.isDirectory()) return 'folder';
      return stats.isFile() ? this.#describe(real, stats) : undefined;
    });
  }

  #describe(path: string, stats: Stats): VolumeFile {
    const state = stateOf(stats);
    const uploaded = this.#uploaded.get(path);
    const etag = uploaded?.state === state ? uploaded.etag : `v-${state}`;
    return { path, size: stats.size, modified: stats.mtime.getTime(), etag };
  }
}

/** Not an MD5: computing one would read the whole file. */
function stateOf({ ino, size, mtimeMs }: Stats): string {
  return [ino, size, mtimeMs].join('-');
}

/** Whatever the umask. */
function makeOpenFolder(path: string): void {
  if (existsSync(path)) return;
  makeOpenFolder(dirname(path));
  mkdirSync(path);
  chmodSync(path, 0o777);
}

/** Takes the MD5s of a file's parts in hex. Returns the ETag without quotes. */
export function multipartEtag(md5s: readonly string[]): string {
  return `${createHash('md5').update(md5s.join(''), 'hex').digest('hex')}-${md5s.length}`;
}

/** Splits `/models/a.bin` into names. The leading slash is optional; a trailing slash means a folder. */
export function splitPath(path: string): { names: string[]; isFolderPath: boolean } {
  const relative = path.replace(/^\//, '');
  const isFolderPath = relative === '' || relative.endsWith('/');
  const names = relative === '' ? [] : relative.replace(/\/$/, '').split('/');
  if (names.includes('')) refuse(400, `the path ${path} contains an empty name`);
  if (Buffer.byteLength(relative) > maxPathBytes) refuse(400, `the path is longer than ${maxPathBytes} bytes`);
  if (!names.every(isFileName)) refuse(400, `the path ${JSON.stringify(path)} contains a name that no file can have`);
  return { names, isFolderPath };
}

/** The limit of object storage for keys. */
const maxPathBytes = 1024;
const maxNameBytes = 255;
const notInNames = process.platform === 'win32' ? /[\0\\:*?"<>|]/ : /\0/;

function isFileName(name: string): boolean {
  const bytes = Buffer.from(name);
  return !/^\.\.?$/.test(name) && !notInNames.test(name) && bytes.length <= maxNameBytes && String(bytes) === name;
}

/** The project's volume in a region. Each has the name `default`. */
export interface VolumeLocation {
  project: string;
  region: string;
}

/** The key of a file in object storage. Names are encoded, so that they have no meaning in a URL. */
export function objectKey({ project, region }: VolumeLocation, names: readonly string[]): string {
  return `volumes/${project}/${region}/${Buffer.from(names.join('/')).toString('base64url')}`;
}

export function parseObjectKey(key: string): { location: VolumeLocation; names: string[] } {
  const [, project = '', region = '', path = ''] = key.split('/');
  return { location: { project, region }, names: Buffer.from(path, 'base64url').toString().split('/') };
}
