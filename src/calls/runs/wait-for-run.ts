import { gantryCommand } from '../../kernel/command-line.ts';
import { type GantryError, NotFoundError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import type { Run } from '../../platform/contract/runs.ts';
import {
  Deadline,
  isTooEarly,
  type PollOptions,
  pollUntil,
  shownLateMs,
  throwUnlessTransient,
  unfinishedError,
} from '../../platform/waiting/index.ts';
import { fetchRun } from './fetch-run.ts';
import { hasEnded, runStatus } from './run-status.ts';

export interface RunWait {
  app: string;
  run: string;
  /** Stop waiting after this time; the run continues. */
  timeoutMs: number;
  /** Another command started the run. */
  startedBefore?: true | undefined;
  pauses?: PollOptions<Run>['pauses'] | undefined;
}

interface RunListener {
  /** Takes each state that was read, the last one too. */
  onRun?: (run: Run) => void;
  /** The run may be there, but cannot be read now. */
  onUnread?: () => void;
}

/** For waits that may take hours. */
const longPauses = { firstMs: 1_000, maxMs: 5_000, growth: 1.3 };

/**
 * Begins to wait for a run. `end` returns it when it has ended, well or badly; throws PendingError at the time limit, or
 * UnavailableError if nothing is known of the run then, and the reason of the signal.
 */
export function startRunWait(context: Context, { app, run, timeoutMs, startedBefore, pauses = longPauses }: RunWait) {
  let status = '';
  let unread: GantryError | undefined;
  const fix = gantryCommand`logs ${app} --run ${run} -f`;
  const work = { name: `run ${run} of ${app}`, fix, details: { app, run } };
  const deadline = new Deadline(context, timeoutMs, (saidMs) =>
    unfinishedError(work, { saidMs, status, failure: unread, startedBefore }),
  );
  const end = ({ onRun, onUnread }: RunListener = {}): Promise<Run> => {
    const polling: PollOptions<Run> = {
      poll: (api) => fetchRun(api, { project: context.project, app, run }),
      deadline,
      pauses,
      onFailure(error, silentMs) {
        const { waitedMs } = deadline;
        const mayShow = error instanceof NotFoundError && waitedMs <= shownLateMs;
        const ageMs = startedBefore && !mayShow ? undefined : waitedMs;
        unread = throwUnlessTransient(error, silentMs, { ...work, ageMs });
        if (ageMs === undefined || !isTooEarly(error, ageMs)) onUnread?.();
      },
    };
    return pollUntil(context, polling, (state) => {
      unread = undefined;
      status = runStatus(state);
      onRun?.(state);
      return hasEnded(state) ? state : undefined;
    });
  };
  return { deadline, end };
}
