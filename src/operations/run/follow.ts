import type { Context } from '../../context.ts';
import { getRun, type Run, runPhase } from '../../contract/runs.ts';
import { PendingError, ProgramError } from '../../errors.ts';
import { duration } from '../../output/words.ts';
import { bearWith } from '../patience.ts';
import { hasEnded, runState } from '../runs/state.ts';
import { RunLog } from './log.ts';

/** A line that the program printed. */
export interface RunLine {
  line: string;
  stream: 'stdout' | 'stderr';
  /** As the platform says it; RFC 3339. */
  time: string | null;
}

/** A run that ended well. */
export interface FinishedRun {
  runId: string;
  app: string;
  status: string;
  /** Null where the platform does not tell it. */
  exitCode: number | null;
  seconds: number;
}

export interface RunFollowing {
  app: string;
  run: string;
  /** Stop waiting after so long; the run goes on. */
  timeoutMs: number;
}

/** Between two looks, milliseconds: short at first, since many runs end at once. */
const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** A timer cannot be set for longer (in milliseconds, some 24 days). */
const longestTimerMs = 2 ** 31 - 1;
/** Lines kept to be told with a failure. */
const keptLines = 20;

/**
 * Gives what the run prints as it comes, and ends at once when it has ended (H-85): the verdict is the polled status
 * (H-66), the log is only shown. Throws ProgramError when it ended badly, PendingError at the time limit.
 */
export async function* followRun(
  context: Context,
  { app, run, timeoutMs }: RunFollowing,
): AsyncGenerator<RunLine, FinishedRun> {
  const { project, progress, now, delay, signal } = context;
  const limit = AbortSignal.timeout(Math.min(timeoutMs, longestTimerMs));
  // A call that hangs, or is tried again and again, must not outlast the time limit either.
  const until = AbortSignal.any([signal, limit]);
  const api = context.apiUntil(until);
  const log = new RunLog(context, app, run, until);
  const details = { app, runId: run };
  const followed = { name: `run ${run} of ${app}`, fix: `gantry runs follow ${app} ${run}`, details };
  const started = now();
  const tail: string[] = [];
  let answered = started;
  let shown = '';
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
    const item = await api(getRun, { project, app, run }).then(
      (answer) => answer.item,
      (error: unknown) => (error === limit.reason ? undefined : bearWith(error, now() - answered, followed)),
    );
    if (item) answered = now();
    const status = item ? runState(item) : shown;
    if (status !== shown) progress.event('status', { ...details, status });
    shown = status;
    // Looked at after the status: what an ended run has printed is all there.
    for await (const line of log.lines(item && hasEnded(item) ? 'ended' : 'going')) {
      progress.event('log', { ...details, ...line });
      tail.push(line.line);
      if (tail.length > keptLines) tail.shift();
      yield line;
    }
    if (item && hasEnded(item)) return verdict(item, app, tail);
    if (limit.aborted || now() - started >= timeoutMs) throw pending(app, run, timeoutMs, shown);
    await delay(pause);
  }
}

function verdict(item: Run, app: string, log: string[]): FinishedRun {
  const status = runState(item);
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
