import type { Context } from '../../context.ts';
import { appLog } from '../logs/app-log.ts';
import { forwards } from '../logs/history.ts';
import { logLines } from '../logs/line.ts';
import { Seen } from '../logs/seen.ts';
import type { RunLine } from './follow.ts';

/**
 * What a run has printed, read again and again: each line is given once. It is not followed by the socket, which does
 * not tell what was printed where (wire §1b).
 */
export class RunLog {
  private readonly seen = new Seen();
  private failed = false;

  constructor(
    private readonly context: Pick<Context, 'api' | 'project' | 'progress' | 'signal' | 'openLog'>,
    private readonly app: string,
    private readonly run: string,
  ) {}

  /** What is new. A look that fails is told once and ends nothing. */
  async *lines(): AsyncGenerator<RunLine> {
    const { progress, signal } = this.context;
    const source = appLog(this.context, this.app, { runId: this.run });
    const gap = () => progress.warn('the platform does not give all lines of the run');
    try {
      for await (const lines of forwards(source, { since: this.seen.resumeAt }, this.seen, gap)) {
        for (const { text, stream, timestamp } of lines) {
          for (const line of logLines(text)) {
            yield { line, stream: stream === 'stderr' ? 'stderr' : 'stdout', time: timestamp || null };
          }
        }
      }
    } catch (error) {
      if (signal.aborted) throw error;
      if ((error as Error).name === 'TimeoutError') return;
      if (!this.failed) progress.warn(`the log of the run could not be read: ${(error as Error).message}`);
      this.failed = true;
    }
  }
}
