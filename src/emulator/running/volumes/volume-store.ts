import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { entriesIn } from '../../../kernel/disk/index.ts';
import { onceFor } from '../../../kernel/once.ts';
import { saveStream } from '../../http/read-request.ts';
import type { ByteStream } from '../../http/reply.ts';
import { fileNameOf } from '../../model/state/data-folder.ts';
import { multipartEtag, Volume, type VolumeLocation } from './volume.ts';

/** In the storage. */
const volumesFolder = 'volumes';
export const partsFolder = 'parts';

/** An upload in progress. Its file is not in the volume before it is completed. It ends with the emulator. */
export interface UploadSession extends VolumeLocation {
  names: readonly string[];
  partCount: number;
  /** Parts by their number; with the MD5 in hex. */
  parts: Map<number, { path: string; size: number; md5: string }>;
}

/** Volumes and uploads in progress. */
export class VolumeStore {
  readonly uploads = new Map<string, UploadSession>();
  readonly #volumes = new Map<string, Volume>();

  constructor(
    private readonly storage: string,
    private readonly now: () => number,
  ) {
    this.clear();
  }

  volume({ project, region }: VolumeLocation): Volume {
    const path = join(this.#folderOf(project), fileNameOf(region));
    return onceFor(this.#volumes, path, () => new Volume(path, this.now));
  }

  /** Where a project has volumes: in regions that were accessed. */
  regionsOf(project: string): string[] {
    const folders = entriesIn(this.#folderOf(project)).filter((entry) => entry.isDirectory());
    return folders.map(({ name }) => name).sort();
  }

  /** Replaces the part of this number. Returns the MD5 of its content; undefined if there is no such upload any more. */
  async addPart(id: string, number: number, body: ByteStream): Promise<string | undefined> {
    const path = join(this.storage, partsFolder, randomUUID());
    const saved = await saveStream(body, path);
    const part = { path, ...saved };
    const parts = this.uploads.get(id)?.parts;
    const unused = parts ? parts.get(number) : part;
    parts?.set(number, part);
    if (unused) await rm(unused.path, { force: true });
    return parts && part.md5;
  }

  /** Puts the parts of an upload together as a file of its volume. */
  async complete(id: string, upload: UploadSession): Promise<void> {
    this.uploads.delete(id);
    const parts = [...upload.parts].sort(([one], [other]) => one - other).map(([, part]) => part);
    const [whole = '', ...others] = parts.map(({ path }) => path);
    try {
      for (const path of others) await pipeline(createReadStream(path), createWriteStream(whole, { flags: 'a' }));
      const etag = multipartEtag(parts.map(({ md5 }) => md5));
      this.volume(upload).put(whole, upload.names, { modified: this.now(), etag });
    } finally {
      for (const { path } of parts) await rm(path, { force: true });
    }
  }

  /** Forgets everything: the files of the volumes are as they are. */
  clear(): void {
    this.#volumes.clear();
    this.uploads.clear();
    rmSync(join(this.storage, partsFolder), { recursive: true, force: true });
  }

  #folderOf(project: string): string {
    return join(this.storage, volumesFolder, fileNameOf(project));
  }
}
