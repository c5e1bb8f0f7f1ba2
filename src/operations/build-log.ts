import type { Context } from '../context.ts';
import { type BuildLogLine, getBuildLogs } from '../contract/builds.ts';

/** Lines kept to be shown with a failure. */
const keptLines = 20;

/** Reads a build's log again and again and shows what is new; the same line is never shown twice. */
export class BuildLog {
  private readonly seen = new Set<string>();
  private lines: string[] = [];
  private failed = false;

  constructor(
    private readonly context: Pick<Context, 'api' | 'project' | 'progress' | 'signal'>,
    private readonly app: string,
    private readonly build: string,
  ) {}

  /** One look. A look that fails is told once and ends nothing, and one that is out of time not even that. */
  async show(aloud = true): Promise<void> {
    const { api, project, progress, signal } = this.context;
    try {
      const { logs } = await api(getBuildLogs, { project, app: this.app, build: this.build });
      for (const [index, entry] of (logs ?? []).entries()) this.take(entry, index, aloud);
    } catch (error) {
      if (signal.aborted) throw error;
      if ((error as Error).name === 'TimeoutError') return;
      if (!this.failed) progress.warn(`the build log could not be read: ${(error as Error).message}`);
      this.failed = true;
    }
  }

  /** The last lines seen. */
  tail(): string[] {
    return this.lines;
  }

  private take(entry: BuildLogLine, index: number, aloud: boolean): void {
    const identity = entry.id ?? String(index);
    if (this.seen.has(identity)) return;
    this.seen.add(identity);
    const lines = logLines(entry.log);
    this.lines = [...this.lines, ...lines].slice(-keptLines);
    if (!aloud) return;
    for (const line of lines) {
      this.context.progress.log(line);
      this.context.progress.event('log', { build: this.build, time: entry.createdAt ?? null, line });
    }
  }
}

/** The lines of one log entry, each as it looks after its carriage returns: of a progress bar the last state stays. */
export function logLines(log: string): string[] {
  return log
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => line.split('\r').findLast((part) => part.trim() !== '') ?? '');
}
