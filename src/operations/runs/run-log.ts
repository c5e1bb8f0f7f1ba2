import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import {
  appLogSource,
  type LogSource,
  readForward,
  SeenLines,
  splitLogText,
  withoutSplitSecrets,
} from '../logs/index.ts';
import { timeoutSignal } from '../waiting/index.ts';

/** How long a page of the log may take, in ms. A log that hangs must not delay the result. */
const pageTimeoutMs = { inProgress: 5_000, ended: 15_000 };
/** A run that ends with the time of the command has a log all the same. */
const minTimeoutMs = 500;

/** The log of a run. It is polled, because the live log does not tell stdout from stderr. */
export class RunLog {
  readonly #seen = new SeenLines();
  readonly #secrets: ReturnType<Context['secrets']['inSequence']>;
  #hasWarned = false;

  /** `until` aborts every request: Ctrl-C and the timeout. */
  constructor(
    private readonly context: Pick<
      Context,
      'apiWithSignal' | 'project' | 'progress' | 'signal' | 'openLog' | 'silenceMs' | 'secrets'
    >,
    private readonly app: string,
    private readonly run: string,
    private readonly until: AbortSignal,
  ) {
    this.#secrets = context.secrets.inSequence();
  }

  /** Yields lines that were not yielded before. A failure to read them within what is left is one warning. */
  async *lines(state: keyof typeof pageTimeoutMs, remainingMs: number): AsyncGenerator<RunLine> {
    const limitMs = Math.min(pageTimeoutMs[state], Math.max(minTimeoutMs, remainingMs));
    const { progress, signal } = this.context;
    const onGap = () => progress.warn('some log lines of the run are missing');
    try {
      for await (const lines of readForward(this.#source(limitMs), { since: this.#seen.resumeAt }, this.#seen, onGap)) {
        for (const received of lines) {
          const { text, stream, timestamp } = withoutSplitSecrets(received, this.#secrets);
          for (const line of splitLogText(text)) {
            yield { line, stream: stream === 'stderr' ? 'stderr' : 'stdout', loggedAt: timestamp || null };
          }
        }
      }
    } catch (error) {
      if (signal.aborted) throw error;
      if (this.until.aborted) return;
      if (!this.#hasWarned) progress.warn(`cannot read the log of the run: ${(error as Error).message}`);
      this.#hasWarned = true;
    }
  }

  /** The timeout is for the platform only: the consumer of the lines may be slow. */
  #source(pageMs: number): LogSource {
    const { apiWithSignal, project, openLog, silenceMs } = this.context;
    const from = (api: Api) => appLogSource({ api, project, openLog }, this.app, { runId: this.run });
    const page: LogSource['readPage'] = (query) => {
      const limitMs = Math.min(silenceMs, pageMs);
      return from(
        apiWithSignal(timeoutSignal(limitMs, () => new UnavailableError('no reply in time'), this.until)),
      ).readPage(query);
    };
    return { ...from(apiWithSignal(this.until)), readPage: page };
  }
}

export interface RunLine {
  line: string;
  stream: 'stdout' | 'stderr';
  /** RFC 3339, as returned by the platform. */
  loggedAt: string | null;
}
