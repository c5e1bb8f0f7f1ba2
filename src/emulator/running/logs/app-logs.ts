import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appendToFileSync } from '../../../kernel/disk/index.ts';
import { attempt } from '../../../kernel/errors.ts';
import { onceFor } from '../../../kernel/once.ts';
import { PrintedLine } from '../../model/logs/log-lines.ts';
import { fileNameOf, parseJsonLine } from '../../model/state/data-folder.ts';

export type AppOutput = Pick<PrintedLine, 'container' | 'stream' | 'text'> & { run?: string | null };

/** Maximum lines and characters that are kept of each app. */
const maxLines = 200_000;
const maxCharacters = 64 * 1024 * 1024;

/** What apps printed. With a folder it survives a restart. */
export class AppLogs {
  readonly #apps = new Map<string, AppLog>();
  /** Where the first lines of an app are. */
  #from: string | undefined;

  constructor(
    private readonly now: () => number,
    private readonly folder?: string,
  ) {
    this.#from = folder;
  }

  add(app: string, output: AppOutput): void {
    this.#logOf(app).add(output, this.now());
  }

  /** The lines that are kept, oldest first. */
  getLines(app: string): readonly PrintedLine[] {
    return this.#logOf(app).lines;
  }

  /** Calls the listener for every new line. Returns a function that unsubscribes it. */
  subscribe(app: string, listener: (line: PrintedLine) => void): () => void {
    const { listeners } = this.#logOf(app);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  delete(app: string): void {
    this.#logOf(app).delete();
  }

  clear(): void {
    this.#from = this.folder;
    for (const log of this.#apps.values()) log.delete();
    if (this.folder) rmSync(this.folder, { recursive: true, force: true });
  }

  /** Replaces all lines by those of the files in a folder. Subscriptions stay. */
  restore(from: string): void {
    this.#from = from;
    for (const [app, log] of this.#apps) log.load(join(from, logFile(app)));
  }

  /** The name and the content of an app's log file. */
  serialize(app: string): [name: string, content: string] {
    return [
      logFile(app),
      this.#logOf(app)
        .lines.map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    ];
  }

  #logOf(app: string): AppLog {
    return onceFor(this.#apps, app, () => {
      const log = new AppLog(this.folder && join(this.folder, logFile(app)));
      if (this.#from !== undefined) log.load(join(this.#from, logFile(app)));
      return log;
    });
  }
}

const logFile = (app: string) => `${fileNameOf(app)}.jsonl`;

class AppLog {
  lines: PrintedLine[] = [];
  readonly listeners = new Set<(line: PrintedLine) => void>();
  #size = 0;
  #unwritten = '';
  readonly #lineNumbers = new Map<string, number>();

  constructor(private readonly file: string | undefined) {
    if (file) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  }

  add({ container, stream, text, run }: AppOutput, now: number): void {
    const last = this.lines.at(-1);
    // Lines stay in order even if the clock is set back.
    const at = Math.max(now, last?.at ?? 0);
    const lineNumber = (this.#lineNumbers.get(container) ?? 0) + 1;
    this.#lineNumbers.set(container, lineNumber);
    const nanoseconds = last?.at === at ? last.nanoseconds + 1 : 0;
    const line = { container, stream, text, at, nanoseconds, lineNumber, run: run ?? '' };
    this.lines.push(line);
    this.#size += line.text.length;
    // Copies all lines, so it runs only when 20% must be dropped.
    if (this.lines.length > maxLines * 1.2 || this.#size > maxCharacters * 1.2) this.#dropOldLines();
    if (this.file) this.#write(line);
    for (const listener of this.listeners) listener(line);
  }

  delete(): void {
    this.#reset();
    this.#unwritten = '';
    if (this.file) rmSync(this.file, { force: true });
  }

  #reset(): void {
    this.lines = [];
    this.#size = 0;
    this.#lineNumbers.clear();
  }

  /** Lines that come at once are written at once. */
  #write(line: PrintedLine): void {
    if (this.#unwritten === '') queueMicrotask(() => this.#flush());
    this.#unwritten += `${JSON.stringify(line)}\n`;
  }

  #flush(): void {
    const text = this.#unwritten;
    this.#unwritten = '';
    const { file } = this;
    // A full disk must not stop the app. The lines are still in memory.
    if (file && text) attempt(() => appendToFileSync(file, text));
  }

  #dropOldLines(): void {
    let first = 0;
    for (; this.lines.length - first > maxLines || this.#size > maxCharacters; first += 1) {
      this.#size -= this.lines[first]?.text.length ?? 0;
    }
    this.lines = this.lines.slice(first);
  }

  /** Replaces the lines by those of a file, if it exists. */
  load(file: string): void {
    this.#flush();
    this.#reset();
    const text = attempt(() => readFileSync(file, 'utf8')) ?? '';
    for (const json of text.split('\n').slice(-maxLines)) {
      // A crash can leave half a line. Damaged lines are skipped.
      const line = parseJsonLine(PrintedLine, json);
      if (!line) continue;
      this.lines.push(line);
      this.#size += line.text.length;
      this.#lineNumbers.set(line.container, line.lineNumber);
    }
  }
}
