import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { VolumeLocation } from './changes.ts';
import { splitPath } from './tree.ts';
import type { VolumeStore } from './volume-store.ts';

/** Reads and writes a volume without requests, for tests and demos. The leading slash of paths is optional. */
export class VolumeFiles {
  constructor(
    private readonly volumes: VolumeStore,
    private readonly location: VolumeLocation,
    private readonly now: () => number,
  ) {}

  /** A list of names instead of a path allows names with slashes. */
  write(path: string | readonly string[], content: string | Uint8Array, modified = this.now()): void {
    const names = namesOf(path);
    const etag = multipartEtag([createHash('md5').update(content).digest('hex')]);
    const folder = this.volumes.volume(this.location).folderFor(names);
    if (folder) {
      folder.write(names, content, { modified, etag });
      return;
    }
    const part = this.volumes.parts.write(Buffer.from(content));
    const file = { size: part.size, modified, etag, parts: [part] };
    void this.volumes.change({ is: 'file', names, file, ...this.location });
  }

  makeFolder(path: string | readonly string[]): void {
    void this.volumes.change({ is: 'folder', names: namesOf(path), ...this.location });
  }

  read(path: string | readonly string[]): Buffer | undefined {
    const entry = this.volumes.volume(this.location).find(namesOf(path));
    if (!entry || entry === 'folder') return undefined;
    return 'path' in entry ? readFileSync(entry.path) : this.volumes.parts.readAll(entry.parts);
  }

  text(path: string | readonly string[]): string | undefined {
    return this.read(path)?.toString();
  }

  /** The sorted paths of all files, and of empty folders with a trailing slash. */
  paths(): string[] {
    const entries = [...this.volumes.volume(this.location).walk()];
    return entries.map(({ names, file }) => `/${names.join('/')}${file ? '' : '/'}`).sort();
  }
}

/** Takes the MD5s of a file's parts in hex. Returns the ETag without quotes. */
export function multipartEtag(md5s: readonly string[]): string {
  const all = Buffer.concat(md5s.map((md5) => Buffer.from(md5, 'hex')));
  return `${createHash('md5').update(all).digest('hex')}-${md5s.length}`;
}

function namesOf(path: string | readonly string[]): readonly string[] {
  return typeof path === 'string' ? splitPath(path).names : path;
}
