import { after } from '../../clock.ts';
import type { Context } from '../../context.ts';
import { type GantryError, UnavailableError } from '../../errors.ts';
import {
  followLog,
  LogGaps,
  type LogLine,
  type LogSource,
  readForward,
  SeenLines,
  splitLogText,
  withoutSplitSecrets,
} from '../logs/index.ts';
import { buildLogSource } from './build-log.ts';

/** Lines that are shown with a failure, and lines that its cause is looked for in. */
const tailLines = 20;
const keptLines = 1_000;
/** How long the result waits for the rest of the log, in ms. The end of a failed one has the reason. */
const maxWaitMs = { succeeded: 2_000, failed: 5_000 };
/** The same, for a build that ends with the time of the command. */
const minWaitMs = 500;

/**
 * Prints the log of a build while its end is waited for, as `logs --build -f` does. A failure to read it is one warning
 * and never delays or changes the result.
 */
export class BuildLogPrinter {
  readonly #seen = new SeenLines();
  readonly #secrets: ReturnType<Context['secrets']['inSequence']>;
  readonly #source: LogSource;
  /** Ends following; requests in flight may finish. */
  readonly #ended = new AbortController();
  readonly #followSignal: AbortSignal;
  /** Aborts requests too. */
  readonly #aborted = new AbortController();
  readonly #requestSignal: AbortSignal;
  #following: Promise<void> | undefined;
  #lines: string[] = [];
  #hasWarned = false;

  /** `until` aborts everything: Ctrl-C and the timeout. */
  constructor(
    private readonly context: Context,
    app: string,
    private readonly build: string,
    until: AbortSignal,
  ) {
    this.#secrets = context.secrets.inSequence();
    this.#followSignal = AbortSignal.any([until, this.#ended.signal]);
    this.#requestSignal = AbortSignal.any([until, this.#aborted.signal]);
    const { project, onRetry } = context;
    const onFirstRetries = (retry: Parameters<typeof onRetry>[0]) => this.#hasWarned || onRetry(retry);
    const openLog: Context['openLog'] = (path, query) => context.openLog(path, query, this.#followSignal);
    const source = buildLogSource(
      { api: context.apiWithSignal(this.#requestSignal, onFirstRetries), project, openLog },
      app,
      build,
    );
    this.#source = {
      ...source,
      readPage: (query) => source.readPage(query).catch((error: GantryError) => this.#throwTransient(error)),
    };
  }

  /** Starts to print lines as they arrive. Does nothing if called again. */
  follow(): void {
    this.#following ??= this.#printLive();
  }

  /** Reads the rest of the log and, with `print`, prints it. Gives up after a few seconds, or when no time remains. */
  async finish(result: keyof typeof maxWaitMs, print: boolean, remainingMs: number): Promise<void> {
    const stopTimer = after(Math.min(maxWaitMs[result], Math.max(minWaitMs, remainingMs)), () => {
      this.#warnOnce('no reply in time');
      this.#aborted.abort();
    });
    this.#ended.abort();
    await this.#following;
    try {
      // The whole history, to find lines that the live log has missed.
      for await (const lines of readForward(this.#source, { since: this.#seen.notBefore(0) }, this.#seen, () => {})) {
        this.#add(lines, print);
      }
    } catch {
      this.context.signal.throwIfAborted();
    } finally {
      stopTimer();
    }
  }

  async abort(): Promise<void> {
    this.#ended.abort();
    this.#aborted.abort();
    await this.#following;
  }

  /** The last lines: few to show, or all that are kept. */
  tail(count = tailLines): string[] {
    return this.#lines.slice(-count);
  }

  async #printLive(): Promise<void> {
    const { now, elapsed, delay, progress, silenceMs } = this.context;
    // Notes about gaps and polling are not useful here: `finish` reads the rest.
    const silent = { ...progress, note() {}, warn() {} };
    const signal = this.#followSignal;
    const quietContext = {
      now,
      elapsed,
      silenceMs,
      signal,
      progress: silent,
      delay: (ms: number) => delay(ms, signal),
    };
    try {
      const options = {
        source: this.#source,
        seen: this.#seen,
        gaps: new LogGaps(silent),
        until: Number.POSITIVE_INFINITY,
      };
      for await (const lines of followLog(quietContext, options)) this.#add(lines, true);
    } catch (error) {
      if (!signal.aborted) this.#warnOnce((error as Error).message);
    }
  }

  /** A log that is refused now may be available once the build has started. */
  #throwTransient(error: GantryError): never {
    if (!this.#requestSignal.aborted) this.#warnOnce(error.message);
    const { retryAfterMs } = error.facts ?? {};
    throw new UnavailableError(error.message, { cause: error, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  }

  #warnOnce(why: string): void {
    if (!this.#hasWarned) this.context.progress.warn(`cannot read the build log: ${why}`);
    this.#hasWarned = true;
  }

  #add(batch: LogLine[], print: boolean): void {
    for (const received of batch) {
      const { text, timestamp } = withoutSplitSecrets(received, this.#secrets);
      const lines = splitLogText(text);
      this.#lines = [...this.#lines, ...lines].slice(-keptLines);
      if (!print) continue;
      for (const line of lines) {
        this.context.progress.log(line);
        this.context.progress.event('log', { build: this.build, loggedAt: timestamp || null, line });
      }
    }
  }
}
