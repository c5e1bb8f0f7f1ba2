import { type FileHandle, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { openRegular, toDiskErrorOf, writeFileAtomic } from '../../kernel/disk/index.ts';
import { parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';
import { LineWriter } from './line-writer.ts';
import { readChunks, splitLines } from './lines.ts';

interface JournalOptions {
  /** The results file, as the user named it, and its absolute path. */
  name: string;
  path: string;
  /** What the results are of: the runs of another map say nothing. */
  identity: string;
  /** Whether an input has a result. */
  isDone: (index: number) => boolean;
}

const Heading = v.object({ gantryRuns: v.literal(1), identity: v.string() });
/** Without a run, the result of the input is in the results file. */
const Entry = v.object({ index: v.number(), run: v.nullable(v.string()) });

/**
 * Which runs were started and have no result yet. It is beside the results, so that a command that is killed leaves no run
 * behind that the next one does not know.
 */
export class RunJournal {
  readonly #runs = new Map<number, string>();
  #lines: Promise<LineWriter> | undefined;

  private constructor(private readonly options: JournalOptions) {}

  static async open(options: JournalOptions): Promise<RunJournal> {
    const journal = new RunJournal(options);
    await journal.#read();
    return journal;
  }

  /** How many runs have no result. */
  get size(): number {
    return this.#runs.size;
  }

  runOf(index: number): string | undefined {
    return this.#runs.get(index);
  }

  /** Resolves when it is in the file. */
  async add(index: number, run: string): Promise<void> {
    this.#runs.set(index, run);
    await this.#write({ index, run });
  }

  /** The result of the input is in the results file. */
  async drop(index: number): Promise<void> {
    this.#runs.delete(index);
    await this.#write({ index, run: null });
  }

  /** Removes the file if no run is left. */
  async close(): Promise<void> {
    await this.#onDisk('write', async () => {
      await (await this.#lines)?.close();
      if (this.#runs.size === 0) await rm(this.#path, { force: true });
    });
  }

  get #path(): string {
    return `${this.options.path}.gantry-runs`;
  }

  /** Throws if it is there and cannot be read: its runs would be started again. */
  async #read(): Promise<void> {
    const file = await this.#onDisk('read', () => openIfThere(this.#path));
    if (!file) return;
    try {
      await this.#onDisk('read', () => this.#readEntries(file));
    } finally {
      await file.close();
    }
  }

  async #readEntries(file: FileHandle): Promise<void> {
    const { identity, isDone } = this.options;
    for await (const lines of splitLines(readChunks(file))) {
      for (const { bytes, start } of lines) {
        // The last line of a command that was killed may be half of one.
        const line = parseJsonOr(String(bytes), undefined);
        if (start === 0 && !(v.is(Heading, line) && line.identity === identity)) return;
        if (!v.is(Entry, line)) continue;
        const { index, run } = line;
        if (run === null || isDone(index)) this.#runs.delete(index);
        else this.#runs.set(index, run);
      }
    }
  }

  async #write(entry: v.InferOutput<typeof Entry>): Promise<void> {
    await this.#onDisk('write', async () => {
      this.#lines ??= this.#open();
      await (await this.#lines).add(`${stringifyJson(entry)}\n`);
    });
  }

  /** With the runs that are left, and no half line. */
  async #open(): Promise<LineWriter> {
    const heading = { gantryRuns: 1, identity: this.options.identity };
    const entries = [...this.#runs].map(([index, run]) => ({ index, run }));
    await writeFileAtomic(this.#path, [heading, ...entries].map((line) => `${stringifyJson(line)}\n`).join(''));
    return LineWriter.open(this.#path);
  }

  async #onDisk<T>(what: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw toDiskErrorOf(`cannot ${what} ${this.options.name}.gantry-runs`, cause);
    }
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await openRegular(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
