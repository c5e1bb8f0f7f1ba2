import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { diskFailure } from './disk.ts';

/** A file that is being received, beside the one it will be: whoever looks at that sees the old one or the new one. */
export class PartFile {
  #written: Promise<void> = Promise.resolve();

  /** To be opened by {@link PartFile.open}. */
  constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** With `resume` what is there is kept; undefined when that is not what an earlier try has left. */
  static async open(target: string, bytes: number, resume: boolean): Promise<PartFile | undefined> {
    const path = partPath(target);
    try {
      return resume ? await reopened(path, bytes) : await created(path, bytes);
    } catch (cause) {
      throw diskFailure(cause);
    }
  }

  /** One after another: the system locks a file while it writes into it, and those who wait for it spin. */
  write(piece: Buffer, offset: number): Promise<void> {
    const written = this.#written.then(() => this.#write(piece, offset));
    this.#written = written.catch(() => {});
    return written;
  }

  /** Gives it its name, in one step. `modified` in milliseconds since 1970. */
  async finish(target: string, modified: number | undefined): Promise<void> {
    try {
      if (modified !== undefined) await this.handle.utimes(modified / 1000, modified / 1000);
      await this.handle.close();
      await rename(this.path, target);
    } catch (cause) {
      throw diskFailure(cause);
    }
  }

  async leave(keep: boolean): Promise<void> {
    await this.handle.close().catch(() => {});
    if (!keep) await rm(this.path, { force: true }).catch(() => {});
  }

  async #write(piece: Buffer, offset: number): Promise<void> {
    for (let at = 0; at < piece.length; ) {
      at += (await this.handle.write(piece, at, piece.length - at, offset + at)).bytesWritten;
    }
  }
}

/** Beside its target, hence on the same disk. A name that would become too long is replaced by a short one. */
export function partPath(target: string): string {
  const name = basename(target);
  const short = Buffer.byteLength(name) + ending.length <= 255;
  return join(dirname(target), short ? name + ending : `${createHash('sha256').update(name).digest('hex')}${ending}`);
}

const ending = '.gantry-part';

/** A link in its place is not followed. Windows knows no such flag, and links only for those who have the right. */
const ownFile = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

async function created(path: string, bytes: number): Promise<PartFile> {
  await rm(path, { force: true });
  const handle = await open(path, ownFile | constants.O_CREAT | constants.O_EXCL, 0o644);
  try {
    await handle.truncate(bytes);
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
  return new PartFile(path, handle);
}

async function reopened(path: string, bytes: number): Promise<PartFile | undefined> {
  const handle = await open(path, ownFile).catch(() => undefined);
  if (!handle) return undefined;
  const stats = await handle.stat();
  if (stats.isFile() && stats.size === bytes) return new PartFile(path, handle);
  await handle.close();
  return undefined;
}
