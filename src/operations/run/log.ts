import type { Context } from '../../context.ts';
import { getRun } from '../../contract/runs.ts';
import { logLines } from '../build-log.ts';
import { appLog } from '../logs/app-log.ts';
import { forwards } from '../logs/history.ts';
import { Seen } from '../logs/seen.ts';
import type { RunLine } from './follow.ts';

/** All that a run has printed so far. Throws NotFoundError when there is no such run. */
export async function readRunLog(context: Context, app: string, run: string): Promise<RunLine[]> {
  await context.api(getRun, { project: context.project, app, run });
  const log = new RunLog(context, app, run);
  const lines: RunLine[] = [];
  for await (const line of log.lines(false)) lines.push(line);
  return lines;
}

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

  /** What is new. A look that fails is told once and ends nothing, if that is to be borne with. */
  async *lines(bears = true): AsyncGenerator<RunLine> {
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
      if (signal.aborted || !bears) throw error;
      if ((error as Error).name === 'TimeoutError') return;
      if (!this.failed) progress.warn(`the log of the run could not be read: ${(error as Error).message}`);
      this.failed = true;
    }
  }
}
