import { readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder, openForAppend, replaceFile, takeLock, toDiskError } from '../../kernel/disk/index.ts';
import { FailedError, systemCode } from '../../kernel/errors.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { type HistoryEvent, parseEvent } from './events.ts';

/** What is kept of an app. */
export const maxHistoryBytes = 5 * 1024 * 1024;
const dayMs = 86_400_000;
export const maxHistoryMs = 90 * dayMs;
/** There are two files, the current one and the one before: each has half of it at most. */
const maxFileBytes = maxHistoryBytes / 2;
const maxFileAgeMs = maxHistoryMs / 2;
/** An event further ahead was written by a wrong clock. */
const maxStepMs = 60_000;

export interface EventsRead {
  /** Oldest first, those of the last 90 days. */
  events: HistoryEvent[];
  /** Lines that are no event. */
  unreadable: number;
}

/**
 * An append-only file of JSON lines. Each line begins with its line break, so that one that was cut off by a kill does
 * not spoil the next. A full file becomes the file before, which replaces the one before that: nothing is rewritten, and
 * no line of another process is lost.
 */
export class EventLog {
  /** By its line; undefined is no event. A long command reads the same lines many times. */
  readonly #parsed = new Map<string, HistoryEvent | undefined>();

  constructor(private readonly path: string) {}

  /**
   * The time of an event that happens now, in ms: no earlier than the last one. Two commands know the platform's clock to a
   * second, and what one of them does after the other must not be written down before it.
   */
  async timeOf(now: number): Promise<number> {
    const text = await readText(this.path).catch(() => '');
    const last = timeOf(this.#parse(text).findLast((event) => event !== undefined));
    return last > now && last - now < maxStepMs ? last : now;
  }

  /** Throws an error of the disk. */
  async append(event: HistoryEvent): Promise<void> {
    makePrivateFolder(dirname(this.path));
    if (await this.#isFull(timeOf(event))) await this.#makeRoom(timeOf(event));
    const file = await openForAppend(this.path);
    try {
      // One write: lines of two processes do not mix.
      await file.write(`\n${stringifyJson(event)}`);
    } finally {
      await file.close();
    }
  }

  /** Throws FailedError if a file is there and cannot be read. */
  async read(now: number): Promise<EventsRead> {
    // In this order, a file that becomes the file before meanwhile is read twice, not missed.
    const current = await readText(this.path);
    const before = await readText(this.#pathBefore);
    const parsed = this.#parse(before.startsWith(current) ? before : `${before}${current}`);
    const events = parsed.filter((event) => event !== undefined).filter((event) => timeOf(event) > now - maxHistoryMs);
    return {
      events: events.sort((a, b) => timeOf(a) - timeOf(b)),
      unreadable: parsed.filter((event) => event === undefined).length,
    };
  }

  async remove(): Promise<void> {
    await Promise.all([rm(this.path, { force: true }), rm(this.#pathBefore, { force: true })]);
  }

  get #pathBefore(): string {
    return `${this.path}.before`;
  }

  #parse(text: string): (HistoryEvent | undefined)[] {
    return text.split('\n').flatMap((line) => {
      if (line.trim() === '') return [];
      if (!this.#parsed.has(line)) this.#parsed.set(line, parseEvent(tryParseJson(line)));
      return [this.#parsed.get(line)];
    });
  }

  async #makeRoom(now: number): Promise<void> {
    const lock = takeLock(`${this.path}.lock`);
    try {
      // Looked at again under the lock: another process may have done it.
      if (lock && (await this.#isFull(now))) await replaceFile(this.path, this.#pathBefore);
    } finally {
      lock?.release();
    }
  }

  /** Too large, or old enough that the file before can go. */
  async #isFull(now: number): Promise<boolean> {
    const text = await readText(this.path).catch(() => '');
    const first = this.#parse(text).find((event) => event !== undefined);
    return text.length > maxFileBytes || now - timeOf(first) > maxFileAgeMs;
  }
}

/** NaN of none. */
const timeOf = (event: HistoryEvent | undefined): number => Date.parse(event?.at ?? '');

/** Empty if there is no file, or no usable folder. What cannot be read is not the same as what is not there. */
async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(async (error: unknown) => {
    // One that was not there a moment ago is being created by another process.
    if (systemCode(error) === 'ENOENT' || !(await stat(path).catch(() => undefined))) return '';
    throw new FailedError(`cannot read ${path}: ${toDiskError(error).message}`, {
      why: 'it has what is known of the app, such as which builds were found sick',
      fix: 'make it readable for this user, or remove it to forget all that',
    });
  });
}
