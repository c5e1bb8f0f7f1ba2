import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '../config/folders.ts';
import { ConflictError } from '../errors.ts';
import { type Line, readLines, type Saved } from './journal-lines.ts';

/** Lines about small files that are kept back: what is done in a moment needs no memory on disk. */
const patience = 64;
const longestDays = 30;

/**
 * What of a copy is done, so that the same command goes on where this one has ended: a file of JSON lines, only ever
 * appended to, gone when all is done. It holds signed links: nobody else may read it.
 */
export class Journal {
  #file: FileHandle | undefined;
  #unlock: (() => Promise<void>) | undefined;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #isOff = false;

  private constructor(
    private readonly path: string,
    /** What an earlier try has left, by the path of the file. */
    readonly saved: ReadonlyMap<string, Saved>,
    private readonly complain: (cause: unknown) => void,
  ) {}

  /**
   * `key` names the copy: the same words give the same journal. With `forget` what is there is not looked at. Where
   * nothing can be written the copy goes without: `complain` hears of it, once. Throws a ConflictError when another
   * process is at the same copy.
   */
  static async open(
    folder: string,
    key: readonly string[],
    { forget, complain }: { forget: boolean; complain: (cause: unknown) => void },
  ): Promise<Journal> {
    const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32);
    const path = join(folder, 'transfers', `${name}.jsonl`);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    const journal = new Journal(path, forget || !text ? new Map() : readLines(text), complain);
    if (text !== undefined) await journal.#start({ asNew: forget });
    return journal;
  }

  /** Whether the next try will find what this one has done. */
  get remembers(): boolean {
    return this.#file !== undefined && !this.#isOff;
  }

  /** Parts are on disk at once, small files some at a time: a killed process has lost those of the last moment. */
  add(line: Line): void {
    if (this.#isOff) return;
    this.#waiting.push(JSON.stringify(line));
    const isWhole = line.is === 'done' || line.is === 'sent';
    if (!isWhole || this.#waiting.length >= patience) this.#writing ??= this.#write();
  }

  /** With `done` there is nothing left to remember. */
  async close(done: boolean): Promise<void> {
    if (!done && this.#waiting.length > 0) this.#writing ??= this.#write();
    await this.#writing;
    await this.#file?.close();
    if (done && this.#file) await rm(this.path, { force: true }).catch(() => {});
    await this.#unlock?.().catch(() => {});
    this.#file = undefined;
  }

  async #write(): Promise<void> {
    try {
      if (!this.#file) await this.#start({ asNew: true });
      while (this.#waiting.length > 0) {
        const lines = this.#waiting.splice(0);
        await this.#file?.appendFile(`${lines.join('\n')}\n`);
      }
    } catch (cause) {
      this.#isOff = true;
      this.complain(cause);
    } finally {
      this.#writing = undefined;
    }
  }

  async #start({ asNew }: { asNew: boolean }): Promise<void> {
    try {
      makePrivateFolder(dirname(this.path));
      await removeOld(dirname(this.path));
      this.#file = await open(this.path, 'a', 0o600);
      this.#unlock = await lock(this.path);
      if (asNew) await this.#file.truncate();
      // After a crash the last line may have no end.
      await this.#file.appendFile(`\n${JSON.stringify({ is: 'opened', pid: process.pid, host: hostname() })}\n`);
    } catch (cause) {
      await this.#file?.close();
      this.#file = undefined;
      this.#isOff = true;
      if (cause instanceof ConflictError) throw cause;
      this.complain(cause);
    }
  }
}

/** A copy that was never gone on with: its links have ended long ago. */
async function removeOld(folder: string): Promise<void> {
  const oldest = Date.now() - longestDays * 86_400_000;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats && stats.mtimeMs < oldest) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** A lock whose holder is dead is taken over at once; proper-lockfile alone would wait until it looks stale. */
async function lock(path: string): Promise<() => Promise<void>> {
  const { lock } = await import('proper-lockfile');
  const options = { stale: 15_000, onCompromised: () => {} };
  try {
    return await lock(path, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
  }
  if (await isHeld(path)) {
    throw new ConflictError('another gantry is at the same copy', { fix: 'wait for it, or stop it' });
  }
  await rm(`${path}.lock`, { recursive: true, force: true });
  return lock(path, options);
}

async function isHeld(path: string): Promise<boolean> {
  const opened = (await readFile(path, 'utf8')).split('\n').findLast((line) => line.startsWith('{"is":"opened"'));
  if (!opened) return true;
  const { pid, host } = JSON.parse(opened) as { pid: number; host: string };
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
