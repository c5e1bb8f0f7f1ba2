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

/** Lines kept to be shown with a failure. */
const keptLines = 20;
/** How long a verdict waits for the rest of a log that hangs, in milliseconds: the end of a failed one says why. */
const patience = { succeeded: 2_000, failed: 5_000 };

/**
 * The log of a build, shown while its verdict is waited for. It is followed as `builds logs -f` does it; what cannot be
 * had is said once, and neither ends the build nor keeps its verdict waiting.
 */
export class BuildLogPrinter {
  private readonly seen = new SeenLines();
  private readonly secrets: ReturnType<Context['secrets']['inSequence']>;
  private readonly source: LogSource;
  /** Nothing new is waited for any more; an answer that is under way still counts. */
  private readonly over = new AbortController();
  private readonly live: AbortSignal;
  /** Not even that. */
  private readonly cutOff = new AbortController();
  private readonly calls: AbortSignal;
  private following: Promise<void> | undefined;
  private lines: string[] = [];
  private complained = false;

  /** `until` cuts all of it: Ctrl-C, and the time limit. */
  constructor(
    private readonly context: Context,
    app: string,
    private readonly build: string,
    until: AbortSignal,
  ) {
    this.secrets = context.secrets.inSequence();
    this.live = AbortSignal.any([until, this.over.signal]);
    this.calls = AbortSignal.any([until, this.cutOff.signal]);
    const { project, onRetry } = context;
    const hears = (retry: Parameters<typeof onRetry>[0]) => this.complained || onRetry(retry);
    const openLog: Context['openLog'] = (path, query) => context.openLog(path, query, this.live);
    const source = buildLogSource({ api: context.apiWithSignal(this.calls, hears), project, openLog }, app, build);
    this.source = {
      ...source,
      readPage: (query) => source.readPage(query).catch((error: GantryError) => this.refused(error)),
    };
  }

  /** Shows its lines as they come, from the first call on, until it is finished. */
  follow(): void {
    this.following ??= this.show();
  }

  /** Shows what has not been shown, or only keeps it. An answer that takes too long is not waited for. */
  async finish(verdict: keyof typeof patience, aloud: boolean): Promise<void> {
    const timer = setTimeout(() => {
      this.complain('no answer in time');
      this.cutOff.abort();
    }, patience[verdict]);
    this.over.abort();
    await this.following;
    try {
      // All of it: what the live log left out is found too.
      for await (const lines of readForward(this.source, { since: this.seen.notBefore(0) }, this.seen, () => {})) {
        this.take(lines, aloud);
      }
    } catch {
      this.context.signal.throwIfAborted();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it as it is. */
  async cut(): Promise<void> {
    this.over.abort();
    this.cutOff.abort();
    await this.following;
  }

  /** The last lines. */
  tail(): string[] {
    return this.lines;
  }

  private async show(): Promise<void> {
    const { now, elapsed, delay, progress, silenceMs } = this.context;
    // How it is read is no news here, and a gap is filled at the end.
    const silent = { ...progress, note() {}, warn() {} };
    const { source, seen, live: signal } = this;
    const needs = { now, elapsed, silenceMs, signal, progress: silent, delay: (ms: number) => delay(ms, signal) };
    try {
      const following = { source, seen, gaps: new LogGaps(silent), until: Number.POSITIVE_INFINITY };
      for await (const lines of followLog(needs, following)) this.take(lines, true);
    } catch (error) {
      if (!signal.aborted) this.complain((error as Error).message);
    }
  }

  /** A log that is refused now may be given later, perhaps when the build has begun: it is looked at again. */
  private refused(error: GantryError): never {
    if (!this.calls.aborted) this.complain(error.message);
    const { retryAfterMs } = error.facts ?? {};
    throw new UnavailableError(error.message, { cause: error, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  }

  private complain(why: string): void {
    if (!this.complained) this.context.progress.warn(`the build log could not be read: ${why}`);
    this.complained = true;
  }

  private take(batch: LogLine[], aloud: boolean): void {
    for (const received of batch) {
      const { text, timestamp } = withoutSplitSecrets(received, this.secrets);
      const lines = splitLogText(text);
      this.lines = [...this.lines, ...lines].slice(-keptLines);
      if (!aloud) continue;
      for (const line of lines) {
        this.context.progress.log(line);
        this.context.progress.event('log', { build: this.build, time: timestamp || null, line });
      }
    }
  }
}
