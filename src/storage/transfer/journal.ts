import { type FileHandle, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import {
  keptFiles,
  makePrivateFolder,
  openForAppend,
  removeDeadLocks,
  takeLock,
  trimFiles,
} from '../../kernel/disk/index.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { tryParseJson } from '../../kernel/json-text.ts';
import type { StateKey } from '../../platform/config/state-key.ts';
import { type DonePart, maxParts } from './parts.ts';

/** Lines about small files are written in groups, to save writes. */
const maxBufferedLines = 64;
const maxAgeDays = 30;

export interface JournalOptions {
  ignoreSaved: boolean;
  /** Called if the journal is damaged or cannot be written: the copy then continues without it. */
  warn: (problem: JournalProblem) => void;
}

export type JournalProblem = { is: 'damaged'; path: string } | { is: 'unwritable'; folder: string; cause: unknown };

/** The finished parts of a copy, in JSON lines. It contains signed URLs, so only its owner may read it. */
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

  /** Throws a ConflictError while another process runs the same copy. */
  static async open(folder: string, key: StateKey, { ignoreSaved, warn }: JournalOptions): Promise<Journal> {
    const path = join(folder, 'transfers', `${key}.jsonl`);
    try {
      makePrivateFolder(dirname(path));
      const lock = takeLock(`${path}.lock`);
      if (!lock) throw new ConflictError('another gantry process runs the same copy', { fix: 'wait for it to end' });
      removeDeadLocks(dirname(path));
      // The URLs of copies that were never resumed have expired.
      trimFiles(keptFiles(dirname(path)), { days: maxAgeDays });
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
    if (line.is !== 'done' || this.#waiting.length >= maxBufferedLines) this.#writing ??= this.#write();
  }

  /** Resolves when all lines are written, or cannot be. */
  async written(): Promise<void> {
    await this.#writing;
  }

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

const partNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxParts));
const byteCount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = v.string();
/** What hash-wasm saves: it begins with the version of its SHA-256, and only that version loads it. */
const sha256State = /^8ed695a3[0-9a-f]{224}$/;
const Part = v.strictObject({
  number: partNumber,
  etag: v.optional(v.pipe(text, v.nonEmpty())),
  // Of another version of gantry it may be useless: the file is then read from its start.
  sha256State: v.fallback(v.optional(v.pipe(text, v.regex(sha256State))), undefined),
});
/** An upload attempt. Nothing is visible before it is complete. */
const OpenUpload = v.strictObject({
  id: text,
  urls: v.pipe(v.array(text), v.minLength(1), v.maxLength(maxParts)),
  /** When the URLs expire, in ms since 1970 by this machine's clock; undefined if they do not say. */
  urlsExpireAt: v.optional(v.number()),
});
export type OpenUpload = v.InferOutput<typeof OpenUpload>;
/** A download of which only some parts are there. */
const UnfinishedFile = v.strictObject({
  version: v.pipe(text, v.nonEmpty()),
  /** The name of the temporary file, so that it cannot lead to another folder than that of its target. */
  temporary: v.pipe(text, v.regex(/^\.gantry-[0-9a-f]{16}-[0-9a-z]+$/)),
});
export type UnfinishedFile = v.InferOutput<typeof UnfinishedFile>;
/** When a file was copied, in ms since 1970 by the storage's clock. An upload counts only once the volume lists the file. */
const Times = v.strictObject({ since: v.number(), at: v.number() });

/** One line of a journal. `file` is the path within the copy, `mark` changes when the file changes. */
const JournalLine = v.variant('is', [
  v.strictObject({
    is: v.literal('begun'),
    file: text,
    mark: text,
    partBytes: byteCount,
    attempt: v.union([OpenUpload, UnfinishedFile]),
  }),
  v.strictObject({ is: v.literal('part'), file: text, part: Part }),
  v.strictObject({ is: v.literal('done'), file: text, mark: text, times: Times }),
]);
type JournalLine = v.InferOutput<typeof JournalLine>;

export interface JournalEntry {
  mark: string;
  partBytes?: number;
  attempt?: OpenUpload | UnfinishedFile;
  parts: DonePart[];
  times?: v.InferOutput<typeof Times>;
}

/** Undefined if it is damaged. Ignores a line that a crash truncated; a later entry of a file replaces others. */
export function parseJournal(content: string): Map<string, JournalEntry> | undefined {
  const saved = new Map<string, JournalEntry>();
  for (const row of content.split('\n')) {
    const value = row === '' ? undefined : tryParseJson(row);
    if (value === undefined) continue;
    const line = v.safeParse(JournalLine, value);
    if (!line.success || !apply(line.output, saved)) return undefined;
  }
  return saved;
}

/** Returns false for a part of nothing that was begun. */
function apply(line: JournalLine, saved: Map<string, JournalEntry>): boolean {
  if (line.is !== 'part') {
    const { is: _, file, ...state } = line;
    saved.set(file, { ...state, parts: [] });
    return true;
  }
  const entry = saved.get(line.file);
  if (!entry?.attempt) return false;
  entry.parts = [...entry.parts.filter(({ number }) => number !== line.part.number), line.part];
  return true;
}
