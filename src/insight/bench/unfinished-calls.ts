import { chartReader, hasEnded, matches, runsIn } from '../../calls/runs/index.ts';
import type { Context } from '../../platform/context.ts';
import { tryRequest } from '../../platform/waiting/index.ts';
import type { StepCalls } from './step-calls.ts';

/** Runs are looked at this often, in ms. */
const lookMs = 5_000;
const pageSize = 1_000;

/**
 * Calls that nobody waits for any more: the app is busy with them until their runs have ended. What has not been seen to end
 * goes on.
 */
export class UnfinishedCalls {
  /** Ids of runs that were made since and had not ended at the last look: of these calls, and of others'. */
  runs: readonly string[] = [];
  /** How long a call runs in the app, in ms; undefined before one has been seen to end. */
  runtimeMs: number | undefined;
  readonly #startedAt: number;
  #ended = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly context: Pick<Context, 'apiWithSignal' | 'signal' | 'project' | 'platformNow'>,
    private readonly app: string,
  ) {
    this.#startedAt = context.platformNow();
  }

  /** How many calls that got no response in time are not known to have ended. */
  count(steps: readonly StepCalls[]): number {
    const abandoned = steps.reduce((sum, step) => sum + step.abandoned, 0);
    const answered = steps.reduce((sum, step) => sum + step.ended, 0) - abandoned;
    // The first call, which is not measured, has ended as well.
    const endedUnseen = Math.max(0, this.#ended - answered - 1);
    return Math.max(Math.min(abandoned, this.runs.length), abandoned - endedUnseen);
  }

  /** Looks at the runs if the last look is old enough. Does not wait for it. */
  lookNowAndThen(): void {
    if (this.context.platformNow() - this.#lookedAt >= lookMs) void this.look();
  }

  async look({ apiWithSignal, signal } = this.context): Promise<void> {
    this.#lookedAt = this.context.platformNow();
    const query = { startTime: time(this.#startedAt), endTime: time(this.#lookedAt), limit: pageSize };
    const { project, platformNow } = this.context;
    const read = (api: Context['api']) => chartReader({ api, project, platformNow }, this.app, this.#startedAt)(query);
    const reply = await tryRequest({ apiWithSignal, signal }, read);
    if (!reply) return;
    const range = { since: this.#startedAt, until: this.#lookedAt, filters: {} };
    const runs = runsIn(reply).filter((run) => matches(run, range));
    const ended = runs.filter(hasEnded);
    const times = ended.map(({ runtimeMs }) => runtimeMs ?? Number.NaN).filter((ms) => ms > 0);
    this.runs = runs.filter((run) => !hasEnded(run)).map(({ id }) => id);
    this.#ended = Math.max(this.#ended, ended.length);
    if (times.length > 0) this.runtimeMs = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
