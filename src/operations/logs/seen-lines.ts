import { createHash } from 'node:crypto';
import type { LogLine } from './log-line.ts';

/** Where a line comes from. The two identify lines differently, or not at all. */
export type LogChannel = 'history' | 'socket';

/** Between one and two times as many lines are remembered, so that memory stays bounded. */
const rememberedLines = 10_000;
/** How much is read again after an interruption: lines of several containers arrive out of order. In ms. */
const overlapMs = 5_000;

/** The sightings of one text at one time in one container. */
type Sightings = { shown: number } & Partial<
  Record<LogChannel, { ids: Set<string>; session: unknown; number: number }>
>;

/**
 * Remembers which lines have been shown. Equal lines with the same time are different lines: they are counted in each
 * reply or connection, and a line is new if the count exceeds the number already shown.
 */
export class SeenLines {
  #lines = new Map<string, Sightings>();
  #older = new Map<string, Sightings>();
  last: LogLine | undefined;
  /** When the container last changed from one line to the next, in ms since 1970. */
  #switchedAt = Number.NEGATIVE_INFINITY;
  /** Earlier lines may have been forgotten. In ms since 1970. */
  #rememberedSince = 0;

  /** Returns whether a line is new, and marks it as seen. `session` is the reply or connection it came in. */
  isNew(line: LogLine, channel: LogChannel, session: unknown): boolean {
    const sightings = this.#sightings(line);
    sightings[channel] ??= { ids: new Set(), session, number: 0 };
    const here = sightings[channel];
    // Without an id, nanoseconds identify a line.
    const id = line.id ?? line.nanoseconds?.toString();
    if (id !== undefined) {
      here.ids.add(id);
      here.number = here.ids.size;
    } else {
      here.number = here.session === session ? here.number + 1 : 1;
      here.session = session;
    }
    if (here.number <= sightings.shown) return false;
    sightings.shown = here.number;
    if (this.last && line.container !== this.last.container) this.#switchedAt = line.at;
    if (!this.last || line.at >= this.last.at) this.last = line;
    return true;
  }

  /** Whether several containers print at the same time. */
  get isInterleaved(): boolean {
    return this.last !== undefined && this.last.at - this.#switchedAt < overlapMs;
  }

  /** Where to resume reading, by the platform's clock; undefined for the start. */
  get resumeAt(): number | undefined {
    return this.last && this.notBefore(this.last.at - overlapMs);
  }

  /** The given time, or the earliest later one from which all lines are remembered. */
  notBefore(at: number): number {
    return Math.max(at, this.#rememberedSince);
  }

  #sightings(line: LogLine): Sightings {
    const key = `${line.at} ${line.container} ${line.text.length > 40 ? digest(line.text) : line.text}`;
    const known = this.#lines.get(key) ?? this.#older.get(key);
    if (known) return known;
    const sightings: Sightings = { shown: 0 };
    this.#lines.set(key, sightings);
    if (this.#lines.size > rememberedLines) this.#forget();
    return sightings;
  }

  #forget(): void {
    for (const key of this.#older.keys())
      this.#rememberedSince = Math.max(this.#rememberedSince, Number.parseInt(key, 10) + 1);
    this.#older = this.#lines;
    this.#lines = new Map();
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
