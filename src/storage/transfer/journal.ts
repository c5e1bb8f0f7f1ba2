import { type FileHandle, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  makePrivateFolder,
  openForAppend,
  removeDeadLocks,
  removeOldFiles,
  takeLock,
} from '../../kernel/disk/index.ts';
import { ConflictError } from '../../kernel/errors.ts';
import type { StateKey } from '../../platform/config/state-key.ts';
import { type JournalEntry, type JournalLine, parseJournal } from './journal-format.ts';

/** Lines about small files are written in groups, to save writes. */
const maxBufferedLines = 64;
const maxAgeDays = 30;

export interface JournalOptions {
  /** Starts over instead of resuming. */
  ignoreSaved: boolean;
  /** Called if the journal is damaged or cannot be written: the copy then continues without it. */
  warn: (problem: JournalProblem) => void;
}

export type JournalProblem = { is: 'damaged'; path: string } | { is: 'unwritable'; folder: string; cause: unknown };

/**
 * Records the finished parts of a copy, so that the same command resumes it: an append-only file of JSON lines, removed
 * when the copy is complete. It contains signed URLs, so only its owner may read it.
 */
export class Journal {
  #file: FileHandle | undefined;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #isOff = false;

  private constructor(
    readonly path: string,
    /** The state of a previous attempt by file path. */
    readonly saved: ReadonlyMap<string, JournalEntry>,
    private readonly unlock: (() => void) | undefined,
    private readonly warn: JournalOptions['warn'],
  ) {}

  /**
   * `key` identifies the copy: the same arguments on the same platform open the same journal. Throws a ConflictError while another process
   * runs the same copy.
   */
  static async open(folder: string, key: StateKey, { ignoreSaved, warn }: JournalOptions): Promise<Journal> {
    const path = join(folder, 'transfers', `${key}.jsonl`);
    try {
      makePrivateFolder(dirname(path));
      const lock = takeLock(`${path}.lock`);
      if (!lock) throw new ConflictError('another gantry process runs the same copy', { fix: 'wait for it to end' });
      await removeOld(dirname(path));
      const saved = ignoreSaved ? new Map() : await readSaved(path, warn);
      if (saved.size === 0) await rm(path, { force: true });
      return new Journal(path, saved, () => lock.release(), warn);
    } catch (cause) {
      if (cause instanceof ConflictError) throw cause;
      warn({ is: 'unwritable', folder: dirname(path), cause });
      const journal = new Journal(path, new Map(), undefined, warn);
      journal.#isOff = true;
      return journal;
    }
  }

  /** Writes lines about parts at once, and those about whole files in groups. */
  add(line: JournalLine): void {
    if (this.#isOff) return;
    this.#waiting.push(JSON.stringify(line));
    const isWhole = line.is === 'done' || line.is === 'sent';
    if (!isWhole || this.#waiting.length >= maxBufferedLines) this.#writing ??= this.#write();
  }

  /** Resolves when all lines are written, or cannot be. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Removes the journal if the copy is complete. */
  async close(isComplete: boolean): Promise<void> {
    if (!isComplete && this.#waiting.length > 0) this.#writing ??= this.#write();
    await this.#writing;
    await this.#file?.close();
    if (isComplete && !this.#isOff) await rm(this.path, { force: true }).catch(() => {});
    this.unlock?.();
    this.#file = undefined;
  }

  async #write(): Promise<void> {
    try {
      if (!this.#file) await this.#start();
      while (this.#waiting.length > 0) {
        const lines = this.#waiting.splice(0);
        await this.#file?.appendFile(`${lines.join('\n')}\n`);
      }
    } catch (cause) {
      this.#isOff = true;
      this.warn({ is: 'unwritable', folder: dirname(this.path), cause });
    } finally {
      this.#writing = undefined;
    }
  }

  /** Starts with a newline, because a crash may have truncated the last line. */
  async #start(): Promise<void> {
    this.#file = await openForAppend(this.path);
    if (this.saved.size > 0) await this.#file.appendFile('\n');
  }
}

async function readSaved(path: string, warn: JournalOptions['warn']): Promise<ReadonlyMap<string, JournalEntry>> {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const saved = parseJournal(content);
  if (!saved) warn({ is: 'damaged', path });
  return saved ?? new Map();
}

/** Removes journals of copies that were never resumed: their URLs have expired. */
async function removeOld(folder: string): Promise<void> {
  removeDeadLocks(folder);
  await removeOldFiles(folder, maxAgeDays);
}
