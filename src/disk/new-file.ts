import { closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, lstat, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openPipeOrDevice, readFileOrPipeChunks } from './file-or-pipe.ts';
import { removedOnExit } from './removed-on-exit.ts';
import { replaceFile, replaceFileSync } from './replace.ts';
import { TemporaryNames } from './temporary.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export interface NewFileOptions {
  /** Permissions, less the umask; left out, those of the file it replaces. */
  mode?: number;
  /** Whose temporary names to use. Left out, the name is random and recorded nowhere. */
  names?: TemporaryNames | undefined;
  /** The absolute path of the target's folder, where `target` leads there by another way. */
  folder?: string | undefined;
}

interface InPlaceOptions extends NewFileOptions {
  /** The content is on the disk before the name is. */
  flush?: boolean;
  /** Ends the wait for somebody who reads a FIFO. */
  signal?: AbortSignal | undefined;
}

/** Windows knows no such flag, and links only for those who have the right to make them. */
const noFollow = constants.O_NOFOLLOW ?? 0;
const exclusively = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow;

/**
 * A file that is being written beside its target, under a name that is nobody else's. It gets its own name in one
 * step, when it is whole: whoever looks at the target sees the old content or the new.
 */
export class NewFile {
  #isOpen = true;

  private constructor(
    readonly path: string,
    /** The same file by its absolute path, as {@link TemporaryNames} records it. */
    readonly absolutePath: string,
    readonly handle: FileHandle,
  ) {}

  /** Creates it empty. Throws what the system says. */
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
   * Opens what an earlier process kept for this target under a recorded name. Undefined unless it is a plain file of
   * that many bytes that no other name leads to.
   */
  static async reopen(
    target: string,
    name: string,
    bytes: number,
    folder = dirname(target),
  ): Promise<NewFile | undefined> {
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

  /**
   * Gives it the name of its target. `modified` is in milliseconds since 1970; with `flush` the content is on the disk
   * before the name is.
   */
  async commit(target: string, { modified, flush = false }: { modified?: number | undefined; flush?: boolean } = {}) {
    if (modified !== undefined) await this.handle.utimes(modified / 1000, modified / 1000);
    if (flush) await this.handle.sync();
    await this.#close();
    await replaceFile(this.path, target);
    removedOnExit.delete(this.path);
  }

  /** Closes and removes it. */
  async discard(): Promise<void> {
    await this.#close().catch(() => {});
    await rm(this.path, { force: true }).catch(() => {});
    removedOnExit.delete(this.path);
  }

  /** Closes it and leaves it for a later process. */
  async keep(): Promise<void> {
    await this.#close().catch(() => {});
    removedOnExit.delete(this.path);
  }

  /** From now on a sudden end of the process leaves it for a later one. */
  keepOnExit(): void {
    removedOnExit.delete(this.path);
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.handle.close();
  }
}

/**
 * Writes a whole file: it appears under its name only when it is complete, and an older one stays until then. A pipe
 * or a device is written to, never replaced. Throws what the system says.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: InPlaceOptions = {},
): Promise<void> {
  await writeAtomically(path, (file) => file.writeFile(content), options);
}

/** The same for content that `write` writes. If it throws, nothing is left of it. */
export async function writeAtomically<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
  { flush = false, signal, ...options }: InPlaceOptions = {},
): Promise<T> {
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

/** {@link writeFileAtomic} for callers that cannot wait. */
export function writeFileAtomicSync(path: string, content: string | Uint8Array, { mode = 0o666 } = {}): void {
  const temporary = join(dirname(path), new TemporaryNames(undefined).nameIn(dirname(path)));
  const descriptor = openSync(temporary, exclusively, mode);
  try {
    try {
      writeFileSync(descriptor, content);
    } finally {
      closeSync(descriptor);
    }
    replaceFileSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A pipe takes bytes only in their order: they go to a temporary file until all are written. */
async function writeThrough<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  const output = await openPipeOrDevice(path, signal);
  try {
    const folder = await TemporaryFolder.create('gantry-');
    try {
      const whole = join(folder.path, 'whole');
      const file = await open(whole, exclusively, 0o600);
      const result = await write(file).finally(() => file.close());
      for await (const piece of readFileOrPipeChunks(whole, signal)) await output.write(piece);
      return result;
    } finally {
      await folder.remove();
    }
  } finally {
    await output.close();
  }
}

async function isReplaceable(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return !found || found.isFile();
}
