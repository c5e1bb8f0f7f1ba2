import type { Context } from '../../context.ts';
import { type Run, runPhase } from '../../contract/runs.ts';
import { PendingError, ProgramError } from '../../errors.ts';
import { duration } from '../../output/format.ts';
import { fetchRun, hasEnded, runStatus } from '../runs/index.ts';
import { Deadline, pollStates, throwUnlessTransient } from '../waiting/index.ts';
import type { RunLine } from './run-log.ts';
import { RunLog } from './run-log.ts';

/** A run that ended well. */
export interface FinishedRun {
  runId: string;
  app: string;
  status: string;
  /** Null where the platform does not tell it. */
  exitCode: number | null;
  seconds: number;
}

export interface FollowRunOptions {
  app: string;
  run: string;
  /** Stop waiting after so long; the run goes on. */
  timeoutMs: number;
}

/** Short pauses at first, since many runs end at once. */
const pauses = { firstMs: 100, maxMs: 1_000, growth: 1.5 };
/** Lines kept to be told with a failure. */
const keptLines = 20;

/**
 * Yields what the run prints, as it arrives, and ends with the run. The polled status decides the result; the log is
 * only shown. Throws ProgramError when the run failed, PendingError at the time limit.
 */
export async function* followRun(
  context: Context,
  { app, run, timeoutMs }: FollowRunOptions,
): AsyncGenerator<RunLine, FinishedRun> {
  const { project, progress } = context;
  const details = { app, runId: run };
  let shown = '';
  const deadline = new Deadline(context, timeoutMs, () => pending(app, run, timeoutMs, shown));
  const log = new RunLog(context, app, run, deadline.signal);
  const followed = { name: `run ${run} of ${app}`, fix: `gantry runs follow ${app} ${run}`, details };
  const tail: string[] = [];
  const polled = pollStates(context, {
    poll: (api) => fetchRun(api, { project, app, run }),
    deadline,
    pauses,
    onFailure: (error, silentMs) => throwUnlessTransient(error, silentMs, followed),
  });
  for await (const item of polled) {
    const status = item ? runStatus(item) : shown;
    if (status !== shown) progress.event('status', { ...details, status });
    shown = status;
    const isOver = item !== undefined && hasEnded(item);
    if (isOver) deadline.close();
    // Read after the status: everything an ended run has printed is there.
    for await (const line of log.lines(isOver ? 'ended' : 'going')) {
      progress.event('log', { ...details, ...line });
      tail.push(line.line);
      if (tail.length > keptLines) tail.shift();
      yield line;
    }
    if (isOver) return verdict(item, app, tail);
  }
  throw new Error('polling ended without a result');
}

function verdict(item: Run, app: string, log: string[]): FinishedRun {
  const status = runStatus(item);
  const exitCode = exitCodeOf(item);
  const finished = { runId: item.id, app, status, exitCode, seconds: secondsOf(item) };
  if (runPhase(status) === 'succeeded' && !exitCode) return finished;
  const ended = status === 'cancelled' ? 'was cancelled' : `failed${exitCode ? ` with exit code ${exitCode}` : ''}`;
  throw new ProgramError(
    `run ${item.id} of ${app} ${ended}`,
    { fix: `gantry runs get ${app} ${item.id}`, details: { ...finished, log } },
    exitCode ?? undefined,
  );
}

/** The specification does not have it; a platform that tells it is listened to. */
function exitCodeOf(item: Run): number | null {
  const code = (item as { exitCode?: unknown }).exitCode;
  return typeof code === 'number' && Number.isInteger(code) && code >= 0 && code <= 255 ? code : null;
}

function secondsOf({ createdAt, completedAt, updatedAt, runtimeMs, executionTimeMs }: Run): number {
  const ms = runtimeMs || executionTimeMs || Date.parse(completedAt || updatedAt || '') - Date.parse(createdAt || '');
  return Number.isFinite(ms) ? Math.max(0, ms) / 1_000 : 0;
}

function pending(app: string, run: string, timeoutMs: number, status: string): PendingError {
  return new PendingError(`run ${run} of ${app} is not done after ${duration(timeoutMs)}; it goes on`, {
    fix: `gantry runs follow ${app} ${run}`,
    details: { app, runId: run, status },
  });
}
