import type { Api } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';
import { appLogSource, type LogSource, readForward, SeenLines, splitLogText } from '../logs/index.ts';
import { timeoutSignal } from '../waiting/index.ts';

/** How long a page may take while the run goes on, and when it has ended: a log that hangs keeps no verdict waiting. */
const patienceMs = { going: 5_000, ended: 15_000 };

/**
 * The output of a run, by polling, each line once. The socket is not used: it does not tell stdout from stderr
 * (docs/platform.md#logs).
 */
export class RunLog {
  private readonly seen = new SeenLines();
  private failed = false;

  /** `until` ends every look: Ctrl-C, and the time limit. */
  constructor(
    private readonly context: Pick<
      Context,
      'apiWithSignal' | 'project' | 'progress' | 'signal' | 'openLog' | 'silenceMs'
    >,
    private readonly app: string,
    private readonly run: string,
    private readonly until: AbortSignal,
  ) {}

  /** What is new. A look that fails is told once and ends nothing. */
  async *lines(state: keyof typeof patienceMs): AsyncGenerator<RunLine> {
    const { progress, signal } = this.context;
    const gap = () => progress.warn('the platform does not give all lines of the run');
    try {
      for await (const lines of readForward(this.source(state), { since: this.seen.resumeAt }, this.seen, gap)) {
        for (const { text, stream, timestamp } of lines) {
          for (const line of splitLogText(text)) {
            yield { line, stream: stream === 'stderr' ? 'stderr' : 'stdout', time: timestamp || null };
          }
        }
      }
    } catch (error) {
      if (signal.aborted) throw error;
      if (this.until.aborted) return;
      if (!this.failed) progress.warn(`the log of the run could not be read: ${(error as Error).message}`);
      this.failed = true;
    }
  }

  /** Only the platform is given so much time: whoever takes the lines may be slow. */
  private source(state: keyof typeof patienceMs): LogSource {
    const { apiWithSignal, project, openLog, silenceMs } = this.context;
    const from = (api: Api) => appLogSource({ api, project, openLog }, this.app, { runId: this.run });
    const page: LogSource['readPage'] = (query) => {
      const limitMs = Math.min(silenceMs, patienceMs[state]);
      return from(
        apiWithSignal(timeoutSignal(limitMs, () => new UnavailableError('no answer in time'), this.until)),
      ).readPage(query);
    };
    return { ...from(apiWithSignal(this.until)), readPage: page };
  }
}

/** A line that the program printed. */
export interface RunLine {
  line: string;
  stream: 'stdout' | 'stderr';
  /** As the platform says it; RFC 3339. */
  time: string | null;
}
