import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

/** One line that an app printed. */
export interface PrintedLine {
  /** Counts the app's lines from 1, for ever: what was dropped keeps its number. */
  number: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Nanoseconds within that millisecond: no two lines of an app are at the same time. */
  nanoseconds: number;
  container: string;
  /** Counts the container's lines from 1. */
  lineNumber: number;
  stream: 'stdout' | 'stderr';
  run: string;
  text: string;
}

export type AppOutput = Pick<PrintedLine, 'container' | 'stream' | 'text'> & { run?: string | null };

/** Of each app so much is kept, the latest: in lines, and in characters. */
const linesKept = 200_000;
const textKept = 64 * 1024 * 1024;

/** What apps printed. With a folder it is there again after a restart. */
export class AppLogs {
  readonly #apps = new Map<string, AppLog>();
  readonly #folder: string | undefined;
  readonly #now: () => number;

  constructor(now: () => number, folder?: string) {
    this.#now = now;
    this.#folder = folder;
  }

  add(app: string, said: AppOutput): void {
    this.#of(app).add(said, this.#now());
  }

  /** The lines of an app that are kept, oldest first. Not to be changed. */
  getLines(app: string): readonly PrintedLine[] {
    return this.#of(app).lines;
  }

  /** Calls back for every line from now on, until the function it gives is called. */
  subscribe(app: string, listener: (line: PrintedLine) => void): () => void {
    const { listeners } = this.#of(app);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  delete(app: string): void {
    this.#of(app).forget();
  }

  clear(): void {
    for (const log of this.#apps.values()) log.forget();
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true });
  }

  #of(app: string): AppLog {
    const known = this.#apps.get(app);
    if (known) return known;
    const made = new AppLog(this.#folder && join(this.#folder, `${app}.jsonl`));
    this.#apps.set(app, made);
    return made;
  }
}

class AppLog {
  lines: PrintedLine[] = [];
  readonly listeners = new Set<(line: PrintedLine) => void>();
  #number = 0;
  #size = 0;
  readonly #ofContainer = new Map<string, number>();
  readonly #file: string | undefined;

  constructor(file: string | undefined) {
    this.#file = file;
    if (file) this.#load(file);
  }

  add({ run, ...said }: AppOutput, now: number): void {
    const last = this.lines.at(-1);
    // A clock that is turned back does not turn the order of lines.
    const at = Math.max(now, last?.at ?? 0);
    const lineNumber = (this.#ofContainer.get(said.container) ?? 0) + 1;
    this.#ofContainer.set(said.container, lineNumber);
    this.#number += 1;
    const nanoseconds = last?.at === at ? last.nanoseconds + 1 : 0;
    const line = { ...said, number: this.#number, at, nanoseconds, lineNumber, run: run ?? '' };
    this.lines.push(line);
    this.#size += line.text.length;
    // Now and then, not line by line: it copies all.
    if (this.lines.length > linesKept * 1.2 || this.#size > textKept * 1.2) this.#shorten();
    if (this.#file) this.#write(this.#file, line);
    for (const listener of this.listeners) listener(line);
  }

  forget(): void {
    this.lines = [];
    this.#size = 0;
    if (this.#file) rmSync(this.#file, { force: true });
  }

  #write(file: string, line: PrintedLine): void {
    try {
      appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {
      // A full disk must not end the app: its output is in memory still.
    }
  }

  #shorten(): void {
    let first = Math.max(0, this.lines.length - linesKept);
    const dropped = (line: PrintedLine | undefined) => {
      this.#size -= line?.text.length ?? 0;
    };
    for (let index = 0; index < first; index += 1) dropped(this.lines[index]);
    for (; this.#size > textKept; first += 1) dropped(this.lines[first]);
    this.lines = this.lines.slice(first);
  }

  #load(file: string): void {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    let text = '';
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      return;
    }
    for (const written of text.split('\n').slice(-linesKept)) {
      // A crash leaves half a line. A damaged line is skipped: the others are still of use.
      const line = parsed(written);
      if (!line) continue;
      this.lines.push(line);
      this.#size += line.text.length;
      this.#number = line.number;
      this.#ofContainer.set(line.container, line.lineNumber);
    }
  }
}

const Line = v.looseObject({
  number: v.number(),
  at: v.pipe(v.number(), v.minValue(0), v.maxValue(8e15)),
  nanoseconds: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999_999)),
  container: v.string(),
  lineNumber: v.number(),
  stream: v.picklist(['stdout', 'stderr']),
  run: v.string(),
  text: v.string(),
});

/** A line of the file; undefined when it is damaged. */
function parsed(text: string): PrintedLine | undefined {
  try {
    const result = v.safeParse(Line, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}
