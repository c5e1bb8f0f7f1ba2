import { FailedError } from '../../errors.ts';
import { localTime } from '../../output/format.ts';
import type { Progress } from '../../output/progress.ts';
import type { LogLine } from './log-line.ts';

/** Says where lines may be missing, and remembers it. */
export class LogGaps {
  private readonly found: { from: string | null; to: string | null }[] = [];

  constructor(private readonly progress: Pick<Progress, 'warn'>) {}

  readonly note = (from: LogLine | undefined, to: LogLine | undefined): void => {
    this.found.push({ from: from?.timestamp || null, to: to?.timestamp || null });
    this.progress.warn(`a gap: lines ${stretch(from, to)} may be missing`);
  };

  /** Throws FailedError when there was one. */
  fail(): void {
    if (this.found.length === 0) return;
    throw new FailedError('the log has a gap', {
      why: 'the platform could not give all of its lines',
      details: { gaps: this.found },
    });
  }
}

function stretch(from: LogLine | undefined, to: LogLine | undefined): string {
  if (from && to) return `between ${localTime(from.timestamp)} and ${localTime(to.timestamp)}`;
  if (from) return `after ${localTime(from.timestamp)}`;
  return to ? `before ${localTime(to.timestamp)}` : 'of this time';
}
