import { closeSync, constants, fchmodSync, futimesSync, lstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, link, lstat, open, readlink, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { attempt, systemCode } from '../errors.ts';
import { noFollow } from './append.ts';
import { openDevice, readFileOrPipeChunks } from './file-or-pipe.ts';
import { replaceFile, replaceFileSync } from './replace.ts';
import { removedOnExit, TemporaryFolder, TemporaryNames } from './temporary.ts';

export interface NewFileOptions {
  /** Permissions before the umask; by default those of the replaced file. */
  mode?: number;
  /** Source of the temporary name. By default it is random and not recorded. */
  names?: TemporaryNames | undefined;
  /** The absolute path of the target's folder; `target` may be reached through another path. */
  folder?: string | undefined;
}

interface InPlaceOptions extends NewFileOptions {
  flush?: boolean;
  /** Ends the writing to a device. */
  signal?: AbortSignal | undefined;
}

export const exclusively = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow;

/** A file that is written beside its target and renamed when it is complete: readers see the old or the new content. */
export class NewFile {
  #isOpen = true;

  private constructor(
    readonly path: string,
    /** The absolute path, as {@link TemporaryNames} records it. */
    readonly absolutePath: string,
    readonly handle: FileHandle,
  ) {}

  static async create(target: string, { mode, names, folder = dirname(target) }: NewFileOptions = {}) {
    const name = (names ?? new TemporaryNames(undefined)).nameIn(folder);
    const path = join(dirname(target), name);
    const replaced = mode === undefined ? await lstat(target).catch(() => undefined) : undefined;
    const handle = await open(path, exclusively, mode ?? 0o666);
    removedOnExit.add(path);
    if (replaced?.isFile()) await handle.chmod(replaced.mode & 0o777).catch(() => {});
    return new NewFile(path, join(folder, name), handle);
  }

  /**
   * Opens the temporary file of an earlier process. Returns undefined unless it is a regular file of this size without
   * other hard links.
   */
  static async reopen(target: string, name: string, bytes: number, folder = dirname(target)) {
    const path = join(dirname(target), name);
    const handle = await open(path, constants.O_RDWR | noFollow | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
    if (!handle) return undefined;
    const stats = await handle.stat();
    if (stats.isFile() && stats.size === bytes && stats.nlink === 1) {
      return new NewFile(path, join(folder, name), handle);
    }
    await handle.close();
    return undefined;
  }

  /** Renames it to its target. `modified` is in ms since 1970; `flush` flushes the content to disk first. */
  async commit(target: string, { modified, flush = false }: { modified?: number | undefined; flush?: boolean } = {}) {
    if (modified !== undefined) await this.handle.utimes(modified / 1000, modified / 1000);
    if (flush) await this.handle.sync();
    await this.#close();
    await replaceFile(this.path, target);
    removedOnExit.delete(this.path);
  }

  async discard(): Promise<void> {
    await this.#close().catch(() => {});
    await rm(this.path, { force: true }).catch(() => {});
    removedOnExit.delete(this.path);
  }

  async keep(): Promise<void> {
    await this.#close().catch(() => {});
    removedOnExit.delete(this.path);
  }

  keepOnExit(): void {
    removedOnExit.delete(this.path);
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.handle.close();
  }
}

/** Writes a file atomically. Pipes and devices are written to, not replaced. Throws system errors. */
export async function writeFileAtomic(path: string, content: string | Uint8Array, options: InPlaceOptions = {}) {
  await writeAtomically(path, (file) => file.writeFile(content), options);
}

/**
 * {@link writeFileAtomic} for content that `write` writes. If it throws, the target stays as it is. A file without a `mode` is
 * the user's: where it is a symbolic link, the link stays, and what it leads to is written.
 */
export async function writeAtomically<T>(
  given: string,
  write: (file: FileHandle) => Promise<T>,
  { flush = false, signal, ...options }: InPlaceOptions = {},
): Promise<T> {
  const path = options.mode === undefined ? await followLinks(given) : given;
  if (!(await isReplaceable(path))) return writeThrough(path, write, signal);
  const file = await NewFile.create(path, options);
  try {
    const result = await write(file.handle);
    await file.commit(path, { flush });
    return result;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Synchronous {@link writeFileAtomic}, for private regular files only. */
export function writeFileAtomicSync(path: string, content: string | Uint8Array): void {
  const folder = dirname(path);
  const file = NewSmallFile.create(path, { names: new TemporaryNames(undefined), folder, content, mode: 0o600 });
  try {
    file.commit(path);
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** `write` may write in any order, so the content of a pipe is collected in a temporary file first. */
async function writeThrough<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  const output = await openDevice(path, signal);
  try {
    const folder = TemporaryFolder.create('write');
    try {
      const whole = join(folder.path, 'whole');
      const file = await open(whole, exclusively, 0o600);
      const result = await write(file).finally(() => file.close());
      for await (const chunk of readFileOrPipeChunks(whole, signal)) await output.write(chunk);
      return result;
    } finally {
      await folder.remove();
    }
  } finally {
    await output.close();
  }
}

const maxLinks = 40;

async function followLinks(path: string, followed = 0): Promise<string> {
  const link = followed < maxLinks ? await readlink(path).catch(() => undefined) : undefined;
  return link === undefined ? path : followLinks(resolve(dirname(path), link), followed + 1);
}

async function isReplaceable(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return !stats || stats.isFile();
}

interface NewSmallFileOptions {
  names: TemporaryNames;
  folder: string;
  content: string | Uint8Array;
  /** Modification time, in ms since 1970. */
  modified?: number | undefined;
  /** Permissions before the umask; by default those of the replaced file. */
  mode?: number;
}

/** A {@link NewFile} whose content is known. Each step is synchronous: the thread pool takes several times as long. */
export class NewSmallFile {
  private constructor(readonly path: string) {}

  /** Throws system errors. */
  static create(target: string, { names, folder, content, modified, mode }: NewSmallFileOptions): NewSmallFile {
    const file = new NewSmallFile(join(dirname(target), names.nameIn(folder)));
    const replaced = mode === undefined ? lstatSync(target, { throwIfNoEntry: false }) : undefined;
    const descriptor = openSync(file.path, exclusively, mode ?? 0o666);
    removedOnExit.add(file.path);
    try {
      // Not every disk has modes.
      if (replaced?.isFile()) attempt(() => fchmodSync(descriptor, replaced.mode & 0o777));
      writeFileSync(descriptor, content);
      if (modified !== undefined) futimesSync(descriptor, modified / 1000, modified / 1000);
    } catch (error) {
      file.discard();
      throw error;
    } finally {
      closeSync(descriptor);
    }
    return file;
  }

  commit(target: string): void {
    replaceFileSync(this.path, target);
    removedOnExit.delete(this.path);
  }

  /** If it fails, the file is removed later: the record of temporary names has it. */
  discard(): void {
    attempt(() => rmSync(this.path, { force: true }));
    removedOnExit.delete(this.path);
  }
}

/** Puts a file at another path as well: a hard link, or a private copy on another disk. Keeps what is there already. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    const copy = async (file: FileHandle) => {
      for await (const chunk of (await open(from)).createReadStream()) await file.write(chunk);
    };
    await writeAtomically(to, copy, { mode: 0o600 });
  }
}
