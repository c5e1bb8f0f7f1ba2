import { type CommandLine, sentence } from '../../kernel/command-line.ts';
import { type GantryError, throwUnexpected, UnavailableError } from '../../kernel/errors.ts';
import { deferred } from '../../kernel/once.ts';
import type { Context } from '../../platform/context.ts';
import { contextUntil, type Deadline, ifTold, timeoutSignal } from '../../platform/waiting/index.ts';
import { type LogEnding, maxLagMs, msToSettle, noteLate } from './ending.ts';
import { followLog } from './follow-log.ts';
import { readLastLines } from './history.ts';
import { type LogLine, splitLogText, withoutSplitSecrets } from './log-line.ts';
import { type AppLogFilter, appLogSource, type LogSource } from './log-source.ts';
import { SeenLines } from './seen-lines.ts';

export interface WorkLine {
  line: string;
  stream: 'stdout' | 'stderr';
  /** RFC 3339, as returned by the platform. */
  loggedAt: string | null;
}

interface WorkLogOptions {
  source: (client: Pick<Context, 'api' | 'project' | 'openLog'>) => LogSource;
  /** The name in warnings: `build log`. */
  name: string;
  /** Takes each line, in order; the next waits for it. */
  onLine?: (line: WorkLine) => unknown;
  /** Whether lines wait for the history to tell stdout from stderr: the live log does not. */
  needsStream?: boolean;
  /** Ctrl-C and the timeout: aborts everything, and says how much time is left. */
  deadline: Pick<Deadline, 'signal' | 'remainingMs'>;
}

/** Lines that are kept for a failure, and that its cause is looked for in. */
const keptLines = 1_000;
/** How long a line waits for its stream, in ms. */
const maxHoldMs = 2_000;
/** How long a page may take while the work is in progress, in ms: a log that hangs is tried again. */
const pageMs = 5_000;
/** A work that ends with the time of the command has a log all the same. In ms. */
const minSettleMs = 500;

/** The log of a build or a run while its end is waited for, as what waits needs it. */
export type FollowedLog = Pick<WorkLog, 'follow' | 'finish' | 'tail' | 'abort'>;

/**
 * The log of a build or a run while its end is waited for. A failure to read it is one warning, and never changes the
 * result or delays it for longer than late lines are waited for.
 */
export class WorkLog {
  readonly #secrets: ReturnType<Context['secrets']['inSequence']>;
  readonly #ended = new AbortController();
  readonly #aborted = new AbortController();
  readonly #until: AbortSignal;
  #following: Promise<void> | undefined;
  /** Lines that wait for their stream, and since when. */
  #held: { line: LogLine; since: number }[] = [];
  #lines: string[] = [];
  #hasWarned = false;

  constructor(
    private readonly context: Context,
    private readonly options: WorkLogOptions,
  ) {
    this.#secrets = context.secrets.inSequence();
    this.#until = AbortSignal.any([options.deadline.signal, this.#aborted.signal]);
  }

  /** Starts to pass lines on as they arrive. Does nothing if called again. */
  follow(): void {
    this.#following ??= this.#read();
  }

  /** Reads the log to its end. With `laterCommand`, tells how to see lines that have not arrived. */
  async finish(ending: LogEnding, laterCommand?: CommandLine): Promise<void> {
    const limitMs = Math.min(ending.limitMs, Math.max(minSettleMs, this.options.deadline.remainingMs));
    const limited = { ...ending, limitMs };
    const isRecent = msToSettle(this.context, limited) > 0;
    this.#ended.abort(limited);
    this.follow();
    await this.#following;
    if (!laterCommand || !isRecent || this.#lines.length > 0 || this.#hasWarned) return;
    this.context.progress.note(sentence`no log lines have arrived; to show them later: ${laterCommand}`);
  }

  async abort(): Promise<void> {
    this.#aborted.abort();
    await this.#following;
  }

  tail(count = keptLines): string[] {
    return this.#lines.slice(-count);
  }

  async #read(): Promise<void> {
    // Notes about gaps and polling are not useful here: the end of the log is read from both.
    const progress = { ...this.context.progress, note() {}, warn() {} };
    const batches = followLog(contextUntil(this.context, this.#until, { progress }), {
      source: this.#source(),
      seen: new SeenLines(),
      onGap: () => {},
      until: Number.POSITIVE_INFINITY,
      ended: this.#ended.signal,
      onLate: noteLate(this.context.progress),
      needsHistory: () => this.#held.length > 0,
    });
    try {
      for await (const batch of batches) await this.#add(batch);
    } catch (error) {
      if (!this.#until.aborted) this.#warnOnce((error as Error).message);
    }
    if (!this.context.signal.aborted) await this.#release(Number.POSITIVE_INFINITY);
  }

  #source(): LogSource {
    const { apiWithSignal, project, onRetry, openLog } = this.context;
    const onFirstRetries = (retry: Parameters<typeof onRetry>[0]) => this.#hasWarned || onRetry(retry);
    // For each page: the consumer of the lines may be slow.
    const api: Context['api'] = (...call) => {
      const { reason } = this.#ended.signal as { reason?: LogEnding };
      const leftMs = reason ? msToSettle(this.context, reason) : Math.min(pageMs, this.options.deadline.remainingMs);
      const late = () => new UnavailableError('no reply in time');
      return apiWithSignal(timeoutSignal(Math.max(minSettleMs, leftMs), late, this.#until), onFirstRetries)(...call);
    };
    const source = this.options.source({ api, project, openLog });
    const readPage: LogSource['readPage'] = (query) =>
      source.readPage(query).catch((error: GantryError) => this.#throwTransient(error));
    return { ...source, readPage };
  }

  /** A log that is refused now may be available once the work has started. */
  #throwTransient(error: GantryError): never {
    if (!this.#until.aborted) this.#warnOnce(error.message);
    throw new UnavailableError(error.message, { cause: error, retryAfterMs: error.facts.retryAfterMs });
  }

  #warnOnce(why: string): void {
    if (!this.#hasWarned) this.context.progress.warn(`cannot read the ${this.options.name}: ${why}`);
    this.#hasWarned = true;
  }

  async #add(batch: LogLine[]): Promise<void> {
    const since = this.context.elapsed();
    this.#held = [...this.#held, ...batch.map((line) => ({ line, since }))];
    await this.#release(since - maxHoldMs);
  }

  /** Passes on what is known in full, and what has been held since a time or longer. */
  async #release(heldSince: number): Promise<void> {
    const { needsStream } = this.options;
    const waiting = this.#held.findIndex(({ line, since }) => needsStream && !line.stream && since > heldSince);
    const ready = this.#held.splice(0, waiting === -1 ? this.#held.length : waiting);
    for (const { line } of ready) await this.#pass(line);
  }

  async #pass(received: LogLine): Promise<void> {
    const { text, stream, timestamp } = withoutSplitSecrets(received, this.#secrets);
    for (const line of splitLogText(text)) {
      this.#lines.push(line);
      if (this.#lines.length > 2 * keptLines) this.#lines = this.#lines.slice(-keptLines);
      const streamName = stream === 'stderr' ? stream : 'stdout';
      await this.options.onLine?.({ line, stream: streamName, loggedAt: timestamp || null });
    }
  }
}

/** How long a look at the end of a log may take, in ms, and how many lines it has. */
const timeoutMs = 5_000;
const tailLines = 50;
/** How long a look at a log may take besides the wait for late lines, in ms. */
const lookMs = 5_000;

/**
 * Returns the lines that `read` finds in the log of what failed. Waits at most `limitMs` for late lines. If the log cannot be
 * read, it warns and returns none: the caller has a failure to report.
 */
export async function readFailureLog(
  context: Context,
  name: string,
  read: (context: Context) => Promise<string>,
  limitMs = maxLagMs,
): Promise<string[]> {
  const late = () => new UnavailableError('no reply in time');
  const until = timeoutSignal(Math.min(limitMs, maxLagMs) + lookMs, late, context.signal);
  try {
    const text = await read(contextUntil(context, until));
    return text === '' ? [] : text.split('\n').map((line) => line.trimEnd());
  } catch (error) {
    throwUnexpected(error, context.signal);
    context.progress.warn(`cannot read the ${name}: ${error.message}`);
    return [];
  }
}

/** The last lines that an app or a run printed as far as they are visible now. Empty if they cannot be read. */
export async function readLogTail(
  { apiWithSignal, project, openLog, signal }: Pick<Context, 'apiWithSignal' | 'project' | 'openLog' | 'signal'>,
  app: string,
  filter: AppLogFilter,
): Promise<string[]> {
  const until = timeoutSignal(timeoutMs, () => new UnavailableError('request timed out'), signal);
  const source = appLogSource({ api: apiWithSignal(until, () => {}), project, openLog }, app, filter);
  const read = await ifTold(
    { signal },
    readLastLines(source, {}, tailLines, new SeenLines(), () => {}),
  );
  return (read ?? []).flatMap(({ text }) => splitLogText(text)).map((line) => line.trimEnd());
}

/**
 * Yields the lines of a build or a run that `read` reads, until `wait` knows its end and the last lines have arrived.
 * Throws what `wait` throws: a failed build, a time limit.
 */
export async function* readWorkLog(
  context: Context,
  read: (context: Context, ended: AbortSignal) => AsyncIterable<LogLine>,
  wait: (context: Context, log: FollowedLog) => Promise<unknown>,
): AsyncGenerator<LogLine, void> {
  const ended = new AbortController();
  const over = new AbortController();
  const until = AbortSignal.any([context.signal, over.signal]);
  // What ended long ago is not followed: it is read when its end is known.
  const { promise: begun, resolve: follow } = deferred();
  const { promise: wasRead, resolve: endReading } = deferred();
  let lines: string[] = [];
  // Lines of the log are all that is printed.
  const progress = { ...context.progress, event() {} };
  const waiting = wait(contextUntil(context, until, { progress }), {
    follow,
    async finish(ending) {
      ended.abort(ending);
      follow();
      await wasRead;
    },
    tail: (count = keptLines) => lines.slice(-count),
    async abort() {},
  }).finally(() => over.abort());
  try {
    await Promise.race([begun, waiting]);
    for await (const line of withoutFailure(context, until, read(contextUntil(context, until), ended.signal))) {
      lines = [...lines.slice(-keptLines), line.text];
      yield line;
    }
    endReading();
    await waiting;
  } finally {
    over.abort();
    endReading();
    await waiting.catch(() => {});
  }
}

/** The lines until they cannot be read, or their reading is over: the end of the work is known without them. */
async function* withoutFailure(
  { progress }: Pick<Context, 'progress'>,
  until: AbortSignal,
  lines: AsyncIterable<LogLine>,
): AsyncGenerator<LogLine> {
  try {
    for await (const line of lines) {
      until.throwIfAborted();
      yield line;
    }
  } catch (error) {
    if (until.aborted) return;
    throwUnexpected(error);
    progress.warn(`cannot read the log: ${error.message}`);
  }
}
