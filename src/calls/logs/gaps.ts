import { FailedError } from '../../kernel/errors.ts';
import { localTime } from '../../kernel/output/format.ts';
import type { Progress } from '../../kernel/output/progress.ts';
import type { LogLine } from './log-line.ts';

/** Warns where lines may be missing, and collects these gaps. */
export class LogGaps {
  readonly #gaps: { from: string | null; to: string | null }[] = [];

  constructor(private readonly progress: Pick<Progress, 'warn'>) {}

  readonly add = (from: LogLine | undefined, to: LogLine | undefined): void => {
    this.#gaps.push({ from: from?.timestamp || null, to: to?.timestamp || null });
    this.progress.warn(`some log lines may be missing ${describeGap(from, to)}`);
  };

  /** Throws FailedError if there are any. */
  throwIfAny(): void {
    if (this.#gaps.length === 0) return;
    throw new FailedError('some log lines are missing', {
      why: 'the platform did not return all lines',
      details: { gaps: this.#gaps },
    });
  }
}

function describeGap(from: LogLine | undefined, to: LogLine | undefined): string {
  if (from && to) return `between ${localTime(from.timestamp)} and ${localTime(to.timestamp)}`;
  if (from) return `after ${localTime(from.timestamp)}`;
  return to ? `before ${localTime(to.timestamp)}` : 'in this range';
}
