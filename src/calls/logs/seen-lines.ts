import { createHash } from 'node:crypto';
import { localTime } from '../../kernel/output/format.ts';
import type { Progress } from '../../kernel/output/progress.ts';
import type { LogLine } from './log-line.ts';

/** Where a line comes from. The two identify lines differently, or not at all. */
export type LogChannel = 'history' | 'socket';

/** Between one and two times as many lines are remembered, so that memory stays bounded. */
const rememberedLines = 10_000;
/** How much is read again: lines of several containers arrive out of order. In ms. */
const overlapMs = 5_000;

type Sightings = { shown: number } & Partial<
  Record<LogChannel, { ids: Set<string>; session: unknown; number: number }>
> & { withoutStream: LogLine[] };

/** A place in a log: so many of the lines with this time. In ms since 1970. */
interface Position {
  at: number;
  number: number;
}

const start: Position = { at: Number.NEGATIVE_INFINITY, number: 0 };

function isLater(a: Position, b: Position): boolean {
  return a.at > b.at || (a.at === b.at && a.number > b.number);
}

/** How often a line was sighted in a channel, with this time. */
function countSighting(sightings: Sightings, line: LogLine, channel: LogChannel, session: unknown): number {
  sightings[channel] ??= { ids: new Set(), session, number: 0 };
  const here = sightings[channel];
  // Without an id, nanoseconds identify a line.
  const id = line.id ?? line.nanoseconds?.toString();
  if (id === undefined) {
    here.number = here.session === session ? here.number + 1 : 1;
    here.session = session;
  } else {
    here.ids.add(id);
    here.number = here.ids.size;
  }
  return here.number;
}

/**
 * Remembers which lines have been shown. Equal lines with the same time are different lines: they are counted in each
 * reply or connection, and a line is new if the count exceeds the number already shown.
 */
export class SeenLines {
  #lines = new Map<string, Sightings>();
  #older = new Map<string, Sightings>();
  /** Ids of lines that were shown, each with its text: an entry of several lines has one id. */
  #ids = new Set<string>();
  #olderIds = new Set<string>();
  last: LogLine | undefined;
  /** The time of the last line of the history, which may be later than the live log. */
  #lastInHistory = Number.NEGATIVE_INFINITY;
  /** The last lines that were forgotten: their time, and how many have it. */
  #forgotten: Position = { at: 0, number: 0 };
  /** How far the live log of a session is. */
  #socket: Position & { session?: unknown } = start;
  /** How far the history had told lines that were forgotten before the live log got there. */
  #toldTo: Position = start;

  /** Returns whether a line is new, and marks it as seen. `session` is the reply or connection it came in. */
  isNew(line: LogLine, channel: LogChannel, session: unknown): boolean {
    const isRepeated = channel === 'socket' && this.#isBehind(line, session);
    return !isRepeated && this.#isUnseen(line, channel, session);
  }

  #isUnseen(line: LogLine, channel: LogChannel, session: unknown): boolean {
    const sightings = this.#sightings(line);
    if (channel === 'history') this.#lastInHistory = Math.max(this.#lastInHistory, line.at);
    const number = countSighting(sightings, line, channel, session);
    if (number <= sightings.shown) {
      // The history knows the stream of a line that the live log sent without.
      if (channel === 'history') Object.assign(sightings.withoutStream.shift() ?? {}, { stream: line.stream });
      return false;
    }
    sightings.shown = number;
    if (this.#isKnownId(line)) return false;
    if (channel === 'socket' && line.stream === undefined) sightings.withoutStream.push(line);
    if (!this.last || line.at >= this.last.at) this.last = line;
    return true;
  }

  /** Whether a live log that began earlier still repeats what the history has told. A line that is late comes after that. */
  #isBehind({ at }: LogLine, session: unknown): boolean {
    const before = this.#socket.session === session ? this.#socket : start;
    const number = at === before.at ? before.number + 1 : 1;
    this.#socket = at < before.at ? before : { at, number, session };
    return !isLater(this.#socket, this.#toldTo);
  }

  /** Whether the line was shown with another time or container, and remembers its id. */
  #isKnownId({ id, text }: LogLine): boolean {
    if (id === undefined) return false;
    const key = `${id} ${text.length > 40 ? digest(text) : text}`;
    if (this.#ids.has(key) || this.#olderIds.has(key)) return true;
    this.#ids.add(key);
    return false;
  }

  /** Where to resume the live log, by the platform's clock; undefined for the start. */
  get resumeAt(): number | undefined {
    return this.rememberedFrom(this.last && this.last.at - overlapMs);
  }

  /** Where to resume the history. */
  get resumeHistoryAt(): number | undefined {
    return this.rememberedFrom(this.last && this.#lastInHistory - overlapMs);
  }

  /** This time, or the earliest later one from which all lines are remembered; undefined for the start. */
  rememberedFrom(at: number | undefined): number | undefined {
    const { at: forgotten, number } = this.#forgotten;
    return at === undefined ? undefined : Math.max(at, number > 0 ? forgotten + 1 : 0) || undefined;
  }

  #sightings(line: LogLine): Sightings {
    const text = line.text.replace(/\r+$/, '');
    const key = `${line.at} ${line.container} ${text.length > 40 ? digest(text) : text}`;
    const before = this.#lines.get(key) ?? this.#older.get(key);
    if (before) return before;
    const sightings: Sightings = { shown: 0, withoutStream: [] };
    this.#lines.set(key, sightings);
    if (this.#lines.size > rememberedLines) this.#forget();
    return sightings;
  }

  #forget(): void {
    for (const [key, { shown }] of this.#older) {
      const at = Number.parseInt(key, 10);
      if (at === this.#forgotten.at) this.#forgotten.number += shown;
      if (at > this.#forgotten.at) this.#forgotten = { at, number: shown };
    }
    if (isLater(this.#forgotten, this.#socket)) this.#toldTo = this.#forgotten;
    this.#older = this.#lines;
    this.#lines = new Map();
    this.#olderIds = this.#ids;
    this.#ids = new Set();
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}

/** Called if lines may be missing between two lines; without `to`, after the first. */
export type OnGap = (from: LogLine | undefined, to: LogLine | undefined) => void;

export function warnOfGaps({ warn }: Pick<Progress, 'warn'>): OnGap {
  return (from, to) => warn(`some log lines may be missing ${describeGap(from, to)}`);
}

function describeGap(from: LogLine | undefined, to: LogLine | undefined): string {
  if (from && to) return `between ${localTime(from.timestamp)} and ${localTime(to.timestamp)}`;
  if (from) return `after ${localTime(from.timestamp)}`;
  return to ? `before ${localTime(to.timestamp)}` : 'in this range';
}
