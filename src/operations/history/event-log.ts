import { open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makePrivateFolder, openForAppend, replaceFile, takeLock, toDiskError } from '../../disk/index.ts';
import { FailedError } from '../../errors.ts';
import { stringifyJson, tryParseJson } from '../../json-text.ts';
import { AppendedLines } from './appended-lines.ts';
import { type HistoryEvent, parseEvent } from './events.ts';

/** What is kept of an app. */
export const maxHistoryBytes = 5 * 1024 * 1024;
const dayMs = 86_400_000;
export const maxHistoryMs = 90 * dayMs;
/** There are two files, the current one and the one before. */
const maxFileBytes = maxHistoryBytes / 2;
/** Each of the two files covers half of the time at most. */
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
  readonly #current: AppendedLines<HistoryEvent | undefined>;
  readonly #before: AppendedLines<HistoryEvent | undefined>;

  constructor(private readonly path: string) {
    this.#current = new AppendedLines(path, readEvent);
    this.#before = new AppendedLines(this.#pathBefore, readEvent);
  }

  /**
   * The time of an event that happens now, in ms: no earlier than the last one. Two commands know the platform's clock to a
   * second, and what one of them does after the other must not be written down before it.
   */
  async timeOf(now: number): Promise<number> {
    const events = await this.#current.read().catch(() => []);
    const last = Date.parse(events.findLast((event) => event !== undefined)?.at ?? '');
    return last > now && last - now < maxStepMs ? last : now;
  }

  /** Throws an error of the disk. */
  async append(event: HistoryEvent): Promise<void> {
    makePrivateFolder(dirname(this.path));
    await this.#rotateIfFull(Date.parse(event.at));
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
    const current = await unlessBroken(this.path, this.#current);
    const before = await unlessBroken(this.#pathBefore, this.#before);
    const isSame = this.#current.file === this.#before.file;
    const parsed = isSame ? before : [...before, ...current];
    const events = parsed.filter((event) => event !== undefined && Date.parse(event.at) > now - maxHistoryMs);
    return {
      events: (events as HistoryEvent[]).sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
      unreadable: parsed.filter((event) => event === undefined).length,
    };
  }

  async remove(): Promise<void> {
    await Promise.all([rm(this.path, { force: true }), rm(this.#pathBefore, { force: true })]);
  }

  get #pathBefore(): string {
    return `${this.path}.before`;
  }

  async #rotateIfFull(now: number): Promise<void> {
    if (!(await this.#isFull(now))) return;
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
    const stats = await stat(this.path).catch(() => undefined);
    if (!stats) return false;
    return stats.size > maxFileBytes || now - (await firstTime(this.path)) > maxFileAgeMs;
  }
}

/** The time of the first event in ms, from the first bytes of the file. Infinity if it cannot be read. */
async function firstTime(path: string): Promise<number> {
  // Another process may have made it the file before.
  const file = await open(path).catch(() => undefined);
  if (!file) return Number.POSITIVE_INFINITY;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    return (
      Date.parse(/"at":"([^"]+)"/.exec(buffer.toString('utf8', 0, bytesRead))?.[1] ?? '') || Number.POSITIVE_INFINITY
    );
  } finally {
    await file.close();
  }
}

function readEvent(line: string): HistoryEvent | undefined {
  return parseEvent(tryParseJson(line));
}

/** What cannot be read is not the same as what is not there. */
function unlessBroken<T>(path: string, lines: AppendedLines<T>): Promise<T[]> {
  return lines.read().catch(async (error: unknown) => {
    // Without a usable folder nothing is there; a file that is there may not be for this user. One that was not there a
    // moment ago is being created by another process.
    if (!(await stat(path).catch(() => undefined))) return [];
    const { message } = toDiskError(error);
    throw new FailedError(`cannot read ${path}: ${message}`, {
      why: 'it has what is known of the app, such as which builds were found sick',
      fix: 'make it readable for this user, or remove it to forget all that',
    });
  });
}
