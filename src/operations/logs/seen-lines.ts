import { createHash } from 'node:crypto';
import type { LogLine } from './log-line.ts';

/** The two ways a line comes. Each names lines in its own manner, or not at all. */
export type LogChannel = 'history' | 'socket';

/** So many lines at least are remembered, twice as many at most: memory stays the same, however long it goes on. */
const remembered = 10_000;
/** What is read again after a break: lines of several containers do not arrive quite in their order. */
const overlapMs = 5_000;

/** What was seen of one text at one moment in one container. */
type Sightings = { shown: number } & Partial<
  Record<LogChannel, { ids: Set<string>; session: unknown; number: number }>
>;

/**
 * Tracks which lines have been shown. Two lines with the same time and text are two lines, so it counts them in each
 * answer or connection, and only those above the number already shown are new.
 */
export class SeenLines {
  private lines = new Map<string, Sightings>();
  private older = new Map<string, Sightings>();
  /** The latest line. */
  last: LogLine | undefined;
  /** When one container spoke after another, the last time, in milliseconds since 1970. */
  private changedAt = Number.NEGATIVE_INFINITY;
  /** What is older may have been forgotten, in milliseconds since 1970. */
  private horizon = 0;

  /** Whether it was not seen before; it is then. `session` is the answer or the connection it came in. */
  isNew(line: LogLine, way: LogChannel, session: unknown): boolean {
    const sightings = this.sightings(line);
    sightings[way] ??= { ids: new Set(), session, number: 0 };
    const here = sightings[way];
    // Where nothing else names it, the moment does, if it is told finely enough.
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
    if (this.last && line.container !== this.last.container) this.changedAt = line.at;
    if (!this.last || line.at >= this.last.at) this.last = line;
    return true;
  }

  /** Several containers speak at the same time. */
  get mixed(): boolean {
    return this.last !== undefined && this.last.at - this.changedAt < overlapMs;
  }

  /** The time to resume from without a gap, by the platform's clock; undefined for the whole log. */
  get resumeAt(): number | undefined {
    return this.last && this.notBefore(this.last.at - overlapMs);
  }

  /** A moment, or the earliest later one from which on all lines are remembered. */
  notBefore(at: number): number {
    return Math.max(at, this.horizon);
  }

  private sightings(line: LogLine): Sightings {
    const key = `${line.at} ${line.container} ${line.text.length > 40 ? digest(line.text) : line.text}`;
    const known = this.lines.get(key) ?? this.older.get(key);
    if (known) return known;
    const sightings: Sightings = { shown: 0 };
    this.lines.set(key, sightings);
    if (this.lines.size > remembered) this.forget();
    return sightings;
  }

  private forget(): void {
    for (const key of this.older.keys()) this.horizon = Math.max(this.horizon, Number.parseInt(key, 10) + 1);
    this.older = this.lines;
    this.lines = new Map();
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
